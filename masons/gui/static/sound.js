/* Small sounds, made by the browser itself. They are on until they are switched off, and this is remembered. */

import { setting } from "./settings.js";

/** @type {AudioContext | null} */
let context = null; // made at the first click or key, as browsers want it
/** @type {AudioBuffer | null} */
let noise = null;

export const isOn = () => setting("sound") !== "off";

/** Let `sound`, which `source` starts and stops, be heard for `length` seconds.
    @type {(source: AudioScheduledSourceNode, sound: AudioNode, at: number, length: number, volume: number) => void} */
function sounds(source, sound, at, length, volume) {
  if (!context) return;
  const gain = context.createGain();
  gain.gain.setValueAtTime(volume, at);
  gain.gain.exponentialRampToValueAtTime(0.0001, at + length);
  sound.connect(gain).connect(context.destination);
  source.start(at);
  source.stop(at + length);
}

/** @type {(pitch: number, after: number, length: number, how?: { volume?: number, type?: OscillatorType, to?: number }) => void} */
function tone(pitch, after, length, { volume = 0.08, type = "sine", to = pitch } = {}) {
  if (!context) return;
  const source = new OscillatorNode(context, { type, frequency: pitch });
  source.frequency.exponentialRampToValueAtTime(to, context.currentTime + after + length);
  sounds(source, source, context.currentTime + after, length, volume);
}

/** @type {(after: number, length: number, pitch: number, volume?: number) => void} */
function rustle(after, length, pitch, volume = 0.12) {
  if (!context) return;
  const source = new AudioBufferSourceNode(context, { buffer: noise });
  const filter = new BiquadFilterNode(context, { type: "bandpass", frequency: pitch, Q: 1.4 });
  source.connect(filter);
  sounds(source, filter, context.currentTime + after, length, volume);
}

const stone = (after = 0) => { rustle(after, 0.07, 500, 0.3); tone(130, after, 0.12, { volume: 0.16, to: 70 }); };

/** @type {Record<string, () => void>} */
const SOUNDS = {
  wall: () => stone(),
  roll: () => [0, 0.09, 0.15, 0.26, 0.4].forEach((after, i) => rustle(after, 0.05, 1500 + 260 * i, 0.2)),
  towers: () => stone(),
  houses: () => { rustle(0, 0.05, 900, 0.25); tone(220, 0, 0.1, { volume: 0.1, to: 160 }); },
  city: () => [392, 494, 587, 784].forEach((pitch, i) => tone(pitch, 0.09 * i, 0.5, { type: "triangle" })),
  play: () => [660, 880].forEach((pitch, i) => tone(pitch, 0.08 * i, 0.25, { type: "triangle" })),
  abstain: () => rustle(0, 0.12, 2600, 0.12),
  swap: () => rustle(0, 0.14, 2600, 0.12),
  turn: () => tone(587, 0, 0.35, { volume: 0.06 }),
};
SOUNDS.final = SOUNDS.play;
SOUNDS.merge = SOUNDS.city;

/** @type {(name: string | undefined) => void} */
export function sound(name) {
  if (name && context && isOn()) SOUNDS[name]?.();
}

/** @type {(on: boolean) => void} */
export function turnSound(on) {
  setting("sound", on ? "on" : "off");
  sound("play");
}

/** Make the sounds ready at the first click or key. */
export function startSounds() {
  const ready = () => {
    context ??= new AudioContext();
    noise ??= context.createBuffer(1, context.sampleRate / 2, context.sampleRate);
    const wave = noise.getChannelData(0);
    for (let i = 0; i < wave.length; i += 1) wave[i] = 2 * Math.random() - 1;
  };
  for (const kind of ["pointerdown", "keydown"]) document.addEventListener(kind, ready, { once: true });
}
