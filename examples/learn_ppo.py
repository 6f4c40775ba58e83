"""Learn Masons from scratch with PPO, using `masons.env` and PyTorch, in one file.

    pip install "masons-engine[train,plot]"
    python examples/learn_ppo.py --out learned

Both seats share one network, which sees what the seat to move sees. In a quarter of the games, the
network plays against itself. In the other games, it plays against the named player `greedy`. The
reward of a step is the points scored by the seat that moved minus the points scored by the other
seat. At the end of a game, the result is added to the reward. From time to time, the network plays
a match to show its current strength. In the match, it always chooses its most likely action. The
files `network.pt`, `curve.csv` and `curve.png` are written to the folder `learned`.

With one thread, equal seeds give equal results. PyTorch's threads wait for each other in busy
loops. Several threads are therefore faster than one thread if there are idle cores, and much slower
if all cores are busy.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from masons.env import BatchEnv
from masons.env.opponents import NamedSeats

ENVS, STEPS, EPOCHS, MINIBATCH = 128, 128, 2, 1024
GAMMA, LAMBDA, CLIP, ENTROPY, RATE = 0.997, 0.95, 0.2, 0.01, 5e-4
NOBODY = -1
POINTS = 10.0  # this number of points is worth as much as a victory
HIDDEN, LOCAL = 192, 32
WALL, CITY_PHASES = 0, (3, 6)  # indices of the game's features that say which decision is due


class Network(nn.Module):
    """A network that returns a logit for every action, and the value for the seat to move.

    A trunk reads the cards, the seats, the supplies and the surroundings of this turn's wall. A
    small network reads the surroundings of a line: its two spaces and their neighbors. All lines
    share this network. All spaces share a second small network, and all kinds of card share a
    third.
    """

    def __init__(self, env: BatchEnv) -> None:
        super().__init__()
        self.layout, self.actions = env.encoding.layout, env.encoding.actions
        graph = env.encoding.graph
        most = np.maximum(self.layout.most, 1).astype(np.float32)
        self.register_buffer("scale", 1 / torch.from_numpy(most).clamp(max=24))
        spaces, lines = len(graph.space_lines), len(graph.line_spaces)
        # The index `spaces` stands for an empty space beyond the board.
        beside = np.where(graph.line_spaces < 0, spaces, graph.line_spaces)
        across = np.full((spaces, 3), spaces)
        for space, sides in enumerate(graph.space_lines):
            for side, line in enumerate(sides):
                across[space, side] = next((s for s in beside[line] if s != space), spaces)
        region = np.eye(4)[graph.space_region][:, 1:]
        for name, value in {
            "line_spaces": beside, "line_towers": graph.line_towers, "across": across,
            "space_lines": graph.space_lines,
        }.items():  # fmt: skip
            self.register_buffer(name, torch.from_numpy(value))
        self.register_buffer("region", torch.from_numpy(region).float())
        self.register_buffer("shore", torch.from_numpy(graph.tower_shore).float()[:, None])
        local, tower, pool = 2 * (16 + 1) + 3, 6 + 1, 16 + 4 + 6
        plain = sum(p.records * len(p.features) for p in self.layout.sections[:3])
        self.trunk = nn.Sequential(
            nn.Linear(plain + pool + 2 * local + 2 * tower, HIDDEN), nn.ReLU(),
            nn.Linear(HIDDEN, HIDDEN), nn.ReLU(),
        )  # fmt: skip
        self.other = nn.Linear(HIDDEN, env.num_actions - lines - spaces)
        self.value = nn.Linear(HIDDEN, 1)
        self.line, self.city = nn.Linear(4 + local + tower, LOCAL), nn.Linear(local, LOCAL)
        self.to_line, self.to_city = nn.Linear(HIDDEN, LOCAL), nn.Linear(HIDDEN, LOCAL)
        self.pick_line = nn.Sequential(
            nn.ReLU(), nn.Linear(LOCAL, LOCAL), nn.ReLU(), nn.Linear(LOCAL, 1)
        )
        self.pick_city = nn.Sequential(nn.ReLU(), nn.Linear(LOCAL, 1))
        self.kind, self.to_kind = nn.Linear(5 + 30, LOCAL), nn.Linear(HIDDEN, LOCAL)
        self.pick_kind = nn.Sequential(nn.ReLU(), nn.Linear(LOCAL, 2))
        self.register_buffer("each_kind", torch.eye(30))
        last_ones = (self.pick_line[-1], self.pick_city[-1], self.pick_kind[-1])
        for last in (self.other, self.value, *last_ones):
            nn.init.orthogonal_(last.weight, 0.01)

    def forward(self, observation: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """Return logits [b, actions], which are -1e9 for illegal actions, and values [b]."""
        parts = self.layout.features(observation.float() * self.scale)
        many = len(observation)
        towers = torch.cat([parts.towers, self.shore.expand(many, -1, -1)], dim=2)
        turn = parts.lines[:, :, 3]
        line, has_line = turn.argmax(1), turn.amax(1)[:, None]
        placing, rows = has_line[:, 0].nonzero()[:, 0], torch.arange(many)[:, None]
        walls = parts.game[:, WALL].nonzero()[:, 0]
        cities = parts.game[:, CITY_PHASES].sum(1).nonzero()[:, 0]
        spaces = torch.zeros(many, 2 * self.city.in_features)
        if len(placing):
            near = self.spaces_of(parts.spaces[placing], parts.lines[placing])
            spaces[placing] = near[rows[: len(placing)], self.line_spaces[line[placing]]].flatten(1)
        trunk = self.trunk(torch.cat([
            parts.game, parts.seats.flatten(1), parts.kinds.flatten(1),
            parts.spaces.sum(1), parts.lines.sum(1) / 10, parts.towers.sum(1) / 10, spaces,
            towers[rows, self.line_towers[line]].flatten(1) * has_line,
        ], dim=1))  # fmt: skip
        logits = torch.zeros(mask.shape)
        kinds = torch.cat([parts.kinds, self.each_kind.expand(many, -1, -1)], dim=2)
        cards = self.pick_kind(self.kind(kinds) + self.to_kind(trunk)[:, None])
        cards = nn.functional.pad(cards.transpose(1, 2).flatten(1), (0, 10))  # play, discard, rest
        logits[:, self.actions.others :] = self.other(trunk) + cards
        if len(walls):
            near = self.spaces_of(parts.spaces[walls], parts.lines[walls])[:, self.line_spaces]
            ends = towers[walls][:, self.line_towers].sum(2)
            lines = self.line(torch.cat([parts.lines[walls], near.sum(2), ends], dim=2))
            choices = self.pick_line(lines + self.to_line(trunk[walls])[:, None])
            logits[walls, : self.actions.cities] = choices[..., 0]
        if len(cities):
            near = self.spaces_of(parts.spaces[cities], parts.lines[cities])[:, :-1]
            choices = self.pick_city(self.city(near) + self.to_city(trunk[cities])[:, None])
            logits[cities, self.actions.cities : self.actions.others] = choices[..., 0]
        return logits.masked_fill(~mask, -1e9), self.value(trunk)[:, 0]

    @torch.no_grad()
    def spaces_of(self, spaces: Tensor, lines: Tensor) -> Tensor:
        """Return the features of each space, together with its region and its open neighbors.

        A neighbor is open if no wall stands in between. The last row is all zeros, and stands for a
        space beyond the edge of the board.
        """
        walls = lines[:, :, 0][:, self.space_lines]
        features = torch.cat([spaces, walls.sum(2, keepdim=True) / 3], dim=2)
        features = torch.cat([features, torch.zeros_like(features[:, :1])], dim=1)
        beyond = (features[:, self.across] * (1 - walls[..., None])).sum(2)
        region = self.region.expand(len(spaces), -1, -1)
        gathered = torch.cat([features[:, :-1], beyond, region], dim=2)
        return torch.cat([gathered, torch.zeros_like(gathered[:, :1])], dim=1)


class Rollout(NamedTuple):
    """The data of STEPS steps in ENVS environments."""

    observation: Tensor
    mask: Tensor
    action: Tensor
    logp: Tensor
    value: Tensor
    player: Tensor
    reward: Tensor  # reward of the seat that moved minus the other seat's reward
    done: Tensor
    is_ours: Tensor  # True if the network chose the action


def play(env: BatchEnv, network: Network, others: NamedSeats) -> Rollout:
    """Play STEPS steps. The network draws its actions at random from its probabilities."""
    kept: list[tuple[Tensor, ...]] = []
    for _ in range(STEPS):
        step = env.last
        observation, mask = torch.tensor(step.observation), torch.tensor(step.mask)
        player = torch.tensor(step.player)
        with torch.no_grad():
            logits, value = network(observation, mask)
        chances = torch.distributions.Categorical(logits=logits)
        action = chances.sample()
        ours = torch.from_numpy(~others.answer(action.numpy()))
        step = env.step(action.numpy())
        points = torch.tensor(step.reward[:, :2])
        margin = (points[:, 0] - points[:, 1]) / POINTS
        final = env.final_scores
        margin += torch.tensor(step.done * np.sign(final[:, 0] - final[:, 1])).float()
        reward = torch.where(player == 0, margin, -margin)
        done = torch.tensor(step.done)
        logp = chances.log_prob(action)
        kept.append((observation, mask, action, logp, value, player, reward, done, ours))
    return Rollout(*(torch.stack(column) for column in zip(*kept, strict=True)))


def advantages(rollout: Rollout, value: Tensor, player: Tensor) -> Tensor:
    """Return the generalized advantage estimates (GAE) for a game of two opponents.

    The next value counts with the opposite sign if the other seat is to move next.
    """
    result, later = torch.zeros_like(rollout.value), torch.zeros_like(value)
    for t in reversed(range(STEPS)):
        sign = torch.where(rollout.player[t] == player, 1.0, -1.0) * ~rollout.done[t]
        delta = rollout.reward[t] + GAMMA * sign * value - rollout.value[t]
        later = delta + GAMMA * LAMBDA * sign * later
        result[t], value, player = later, rollout.value[t], rollout.player[t]
    return result


def learn(
    network: Network, optimizer: torch.optim.Optimizer, env: BatchEnv, rollout: Rollout
) -> float:
    """Update the network with PPO's clipped loss, and return the mean entropy."""
    step = env.last
    with torch.no_grad():
        _, value = network(torch.tensor(step.observation), torch.tensor(step.mask))
    gained = advantages(rollout, value, torch.tensor(step.player)).flatten()
    flat = Rollout(*(column.flatten(0, 1) for column in rollout))
    target, spread, entropies = gained + flat.value, gained.std() + 1e-6, []
    for _ in range(EPOCHS):
        for part in torch.randperm(len(gained)).split(MINIBATCH):
            logits, value = network(flat.observation[part], flat.mask[part])
            chances = torch.distributions.Categorical(logits=logits)
            ratio = (chances.log_prob(flat.action[part]) - flat.logp[part]).exp()
            gain = gained[part] / spread
            gain = torch.minimum(ratio * gain, ratio.clamp(1 - CLIP, 1 + CLIP) * gain)
            is_ours = flat.is_ours[part].float()
            gain, entropy = ((x * is_ours).sum() / is_ours.sum() for x in (gain, chances.entropy()))
            loss = (value - target[part]).square().mean() / 2 - gain - ENTROPY * entropy
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(network.parameters(), 0.5)
            optimizer.step()
            entropies.append(float(entropy.detach()))
    return float(np.mean(entropies))


def match(network: Network, opponent: str, games: int, seed: int) -> tuple[float, float]:
    """Return the share of games that the network wins, and its mean score margin.

    A shared victory counts half. The network's seat alternates from game to game.
    """
    env = BatchEnv(games, seed=seed, auto_reset=False)
    each, seats = np.arange(games), np.arange(games) % 2
    others, won = NamedSeats(env, opponent, 1 - seats, seed), np.zeros(games)
    step = env.reset()
    while (step.player >= 0).any():
        actions = np.full(games, -1)
        mine = np.flatnonzero(step.player == seats)
        if len(mine):
            shown = torch.tensor(step.observation[mine]), torch.tensor(step.mask[mine])
            with torch.no_grad():
                actions[mine] = network(*shown)[0].argmax(1).numpy()
        others.answer(actions)
        env.step(actions)
        won += step.reward[each, seats]
    margin = env.final_scores[each, seats] - env.final_scores[each, 1 - seats]
    return float(won.mean() + 1) / 2, float(margin.mean())


def plot(curve: list[tuple[float, ...]], opponent: str, path: Path) -> None:
    """Draw the curve if matplotlib is installed."""
    try:
        import matplotlib as mpl
    except ImportError:
        return
    mpl.use("svg" if path.suffix == ".svg" else "agg")
    from matplotlib import pyplot

    steps, won = [row[0] / 1e6 for row in curve], [100 * row[3] for row in curve]
    figure, axes = pyplot.subplots(figsize=(6, 3.4), layout="constrained")
    axes.plot(steps, won, marker=".")
    axes.axhline(60, color="gray", linewidth=0.8, linestyle="--")
    axes.set(xlabel="million steps", ylabel=f"games won against {opponent}, %", ylim=(0, 100))
    figure.savefig(path)
    pyplot.close(figure)


def main() -> None:
    """Learn for `--steps` steps, and report the progress."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--steps", type=int, default=9_300_000)
    options.add_argument("--out", type=Path, default=Path("learned"))
    options.add_argument("--load", type=Path, help="weights to go on from")
    options.add_argument("--seed", type=int, default=0)
    options.add_argument("--opponent", default="greedy")
    options.add_argument("--games", type=int, default=200, help="of each match")
    options.add_argument("--threads", type=int, default=1, help="of PyTorch")
    chosen = options.parse_args()
    torch.manual_seed(chosen.seed)
    torch.set_num_threads(chosen.threads)
    chosen.out.mkdir(parents=True, exist_ok=True)
    env = BatchEnv(ENVS, seed=chosen.seed, reward="points")
    env.reset()
    network, number = Network(env), np.arange(ENVS)
    if chosen.load:
        kept = torch.load(chosen.load)
        env.encoding.check(kept["encoding"], str(chosen.load))
        network.load_state_dict(kept["network"])
    seats = np.where(number % 8 < 6, number % 2, NOBODY)
    others = NamedSeats(env, chosen.opponent, seats, chosen.seed)
    optimizer = torch.optim.Adam(network.parameters(), RATE, eps=1e-5)
    began, due, steps, curve = time.monotonic(), 0, 0, []
    while True:
        is_last = steps >= chosen.steps
        if steps >= due or is_last:
            games, seed = chosen.games * (1 + 4 * is_last), chosen.seed + 1 + len(curve)
            won, margin = match(network, chosen.opponent, games, seed)
            minutes, cpu = (time.monotonic() - began) / 60, time.process_time() / 60
            curve.append((steps, minutes, cpu, won, margin))
            due += chosen.steps // 12
            print(
                f"{steps:>10,} steps {env.games.sum():>7,} games {minutes:5.1f} min ({cpu:.1f} of"
                f" CPU): {100 * won:.1f} % won against {chosen.opponent}, margin {margin:+z.1f}",
                flush=True,
            )
            torch.save({"encoding": env.encoding.fingerprint, "network": network.state_dict()},
                       chosen.out / "network.pt")  # fmt: skip
            np.savetxt(chosen.out / "curve.csv", curve, "%.7g", ",", comments="",
                       header="steps,minutes,cpu_minutes,won,margin")  # fmt: skip
            plot(curve, chosen.opponent, chosen.out / "curve.png")
        if is_last:
            return
        optimizer.param_groups[0]["lr"] = RATE * max(0.1, 1 - steps / chosen.steps)
        learn(network, optimizer, env, play(env, network, others))
        steps += ENVS * STEPS


if __name__ == "__main__":
    main()
