/* Random games in C: what each seat scored on average, and how many games it won.
 *
 *     python -m masons.engine.kernels.library_build build
 *     python -c "
 *     from masons.engine.board.geometry import load_board
 *     from masons.engine.board.packed_board import pack_board
 *     from masons.engine.state.derive import empty_state
 *     board = pack_board(load_board('classic'))
 *     board.tofile('board.bin')
 *     empty_state(board, 2).tofile('start.bin')"
 *     cc -I build examples/random_games.c build/masons.c build/masons_v*.o -o random_games
 *     ./random_games board.bin start.bin 1000 */

#include "masons.h"

#include <stdio.h>
#include <stdlib.h>

static uint64_t board[MASONS_BOARD_TABLE_WORDS], start[MASONS_STATE_WORDS];
static uint64_t state[MASONS_STATE_WORDS], counters[MASONS_COUNTER_WORDS];

static void read_words(const char *path, uint64_t *words, size_t count)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL || fread(words, sizeof *words, count, file) != count) {
        fprintf(stderr, "%s: not %zu words\n", path, count);
        exit(1);
    }
    fclose(file);
}

int main(int argc, char **argv)
{
    if (argc != 4) {
        fprintf(stderr, "usage: random_games BOARD START GAMES\n");
        return 2;
    }
    read_words(argv[1], board, MASONS_BOARD_TABLE_WORDS);
    read_words(argv[2], start, MASONS_STATE_WORDS);
    uint64_t games = strtoull(argv[3], NULL, 10), rng[1] = {1};
    unsigned players = ((unsigned char *)start)[MASONS_PLAYERS];
    double points[4] = {0}, wins[4] = {0};

    for (uint64_t game = 0; game < games; game++) {
        if (masons_uniform_play(start, 1, board, rng, 1, 0, state, counters))
            return 1;
        const unsigned short *scores = (unsigned short *)(state + MASONS_SCORES);
        unsigned best = 0;
        for (unsigned seat = 0; seat < players; seat++) {
            points[seat] += scores[seat];
            if (scores[seat] > scores[best])
                best = seat;
        }
        wins[best]++;
    }
    printf("Masons Engine %s, level %d\n", MASONS_VERSION, masons_level());
    for (unsigned seat = 0; seat < players; seat++)
        printf("seat %u: %.2f points, %.0f wins\n", seat, points[seat] / games, wins[seat]);
    return 0;
}
