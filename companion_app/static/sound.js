// Sounds made from code, and spoken verdicts; both a choice, off at first.
import { choice } from "./ui.js";

let audio = null;
const TUNES = {
  legal: [[660, 0, 0.09]],
  illegal: [
    [220, 0, 0.18],
    [165, 0.2, 0.3],
  ],
  ask: [
    [520, 0, 0.1],
    [620, 0.14, 0.1],
  ],
  over: [
    [523, 0, 0.14],
    [659, 0.16, 0.14],
    [784, 0.32, 0.14],
    [1047, 0.48, 0.3],
  ],
};

export function play(name) {
  if (name === "illegal") buzz([80, 60, 120]);
  if (!choice("sound")) return;
  try {
    audio ??= new AudioContext();
    for (const [hertz, start, length] of TUNES[name]) {
      const tone = audio.createOscillator(),
        loud = audio.createGain();
      tone.frequency.value = hertz;
      tone.type = name === "illegal" ? "sawtooth" : "sine";
      const at = audio.currentTime + start;
      loud.gain.setValueAtTime(0.0001, at);
      loud.gain.exponentialRampToValueAtTime(0.16, at + 0.02);
      loud.gain.exponentialRampToValueAtTime(0.0001, at + length);
      tone.connect(loud).connect(audio.destination);
      tone.start(at);
      tone.stop(at + length + 0.05);
    }
  } catch {
    /* no sound here */
  }
}

export function speak(text) {
  if (!choice("voice") || !("speechSynthesis" in window)) return;
  const words = new SpeechSynthesisUtterance(text);
  words.lang = document.documentElement.lang;
  speechSynthesis.cancel();
  speechSynthesis.speak(words);
}

// A phone shakes only for somebody who has touched it.
export function buzz(pattern = [60, 40, 60]) {
  if (navigator.userActivation?.hasBeenActive !== false) navigator.vibrate?.(pattern);
}
