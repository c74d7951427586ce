/** Player keys on recordings and timeshift, and messages on the screen. */
import { beforeEach, describe, expect, it } from 'vitest';
import { Messages } from '../../src/device/messages.ts';
import type { CurrentService } from '../../src/playback/current-service.ts';
import { Player, type PlayerParts } from '../../src/playback/player.ts';
import { showMessages } from '../../src/playback/screen-messages.ts';

let did: unknown[];
let playback: {
  current: CurrentService | undefined;
  output: PlayerParts['output'] & { position: number; paused: boolean };
  showsTimeshift: boolean;
};
/** A timeshift of 100 s in segments of 5 s. */
const kept = {
  begin: 1000,
  end: 1100,
  isClosed: false,
  streamAt: (time: number) => ({ begin: Math.max(1000, Math.floor(time / 5) * 5), stream: { time } as never }),
};
let timeshift: { active: typeof kept | undefined };
let player: Player;
beforeEach(() => {
  did = [];
  const output = {
    paused: false,
    position: 20,
    pause: (paused: boolean) => {
      output.paused = paused;
      did.push(paused);
    },
    seek: (position: number) => did.push(position),
  };
  playback = { current: { played: {} } as CurrentService, output, showsTimeshift: false };
  timeshift = { active: undefined };
  player = new Player(
    Object.assign(playback, {
      async stop() {
        did.push('stop');
      },
      showFrom(open: Parameters<PlayerParts['showFrom']>[0]) {
        output.paused = false;
        playback.showsTimeshift = open !== undefined;
        did.push(open ? (open() ?? 'nothing kept') : 'live');
      },
    }),
    timeshift,
  );
});

it('pauses, resumes, seeks in and stops a recording', async () => {
  player.pause(true);
  player.pause();
  player.seekBy(30);
  player.seekBy(-30);
  await player.stop();
  expect(did).toEqual([true, false, 50, 0, 'stop']);
});

it('neither pauses nor seeks live television without timeshift', () => {
  playback.current = {} as CurrentService;
  player.pause(true);
  player.seekBy(30);
  playback.current = undefined;
  player.pause();
  expect(did).toEqual([]);
});

describe('with timeshift', () => {
  beforeEach(() => {
    playback.current = {} as CurrentService;
    timeshift.active = { ...kept };
  });
  const advance = (seconds: number) => {
    if (timeshift.active) timeshift.active.end += seconds;
  };

  it('resumes where live television was paused, after any length of time', () => {
    player.pause();
    advance(600);
    player.pause();
    expect(did).toEqual([true, { time: 1100 }]);
  });

  it('resumes the stream itself after a moment, and in the timeshift at any time', () => {
    player.pause(true);
    advance(2);
    player.pause(false);
    player.seekBy(-30);
    player.pause(true);
    advance(600);
    player.pause(false);
    expect(did).toEqual([true, false, { time: 1072 }, true, false]);
  });

  it('moves back, forward and to live again', async () => {
    player.seekBy(-30);
    // The stream begins at 1070.
    playback.output.position = 10;
    player.seekBy(-30);
    playback.output.position = 2;
    player.seekBy(30);
    playback.output.position = 1;
    player.seekBy(60);
    await player.stop();
    expect(did).toEqual([{ time: 1070 }, { time: 1050 }, { time: 1082 }, 'live', 'stop']);
  });

  it('shows live television when stopped, and when the timeshift has ended', async () => {
    player.seekBy(-30);
    await player.stop();
    expect(did.splice(0)).toEqual([{ time: 1070 }, 'live', 'stop']);
    if (timeshift.active) timeshift.active.isClosed = true;
    player.seekBy(-30);
    expect(did).toEqual(['nothing kept']);
  });

  it('counts from live again after a zap', () => {
    player.seekBy(-90);
    playback.showsTimeshift = false;
    playback.output.position = 3;
    player.seekBy(-30);
    expect(did).toEqual([{ time: 1010 }, { time: 1070 }]);
  });
});

it('shows the latest message while it is open', () => {
  const messages = new Messages({ now: () => 0, synchronised: true });
  const shown: unknown[] = [];
  showMessages(messages, { showText: (text, seconds) => shown.push([text, seconds]) });
  const first = messages.show('information', 'Dinner is ready');
  const second = messages.show('question', 'Tea?', 30);
  messages.close(second.id, 'yes');
  messages.close(first.id);
  expect(shown).toEqual([
    ['Dinner is ready', 86_400],
    ['Tea?\n\n[OK] Yes   [EXIT] No', 30],
    ['Dinner is ready', 86_400],
    ['', 0],
  ]);
});
