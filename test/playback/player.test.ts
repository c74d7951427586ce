import { beforeEach, expect, it } from 'vitest';
import { Messages } from '../../src/device/messages.ts';
import type { CurrentService } from '../../src/playback/current-service.ts';
import { Player, type PlayerParts } from '../../src/playback/player.ts';
import { showMessages } from '../../src/playback/screen-messages.ts';

let did: unknown[];
let playback: { current: CurrentService | undefined; output: PlayerParts['output'] & { position: number } };
let player: Player;
beforeEach(() => {
  did = [];
  const output = {
    paused: false,
    position: 20,
    pause: (paused: boolean) => did.push(paused),
    seek: (position: number) => did.push(position),
  };
  playback = { current: { played: {} } as CurrentService, output };
  player = new Player(
    Object.assign(playback, {
      async stop() {
        did.push('stop');
      },
    }),
  );
});

it('pauses, goes on, seeks and stops', async () => {
  player.pause(true);
  player.pause();
  player.seekBy(30);
  player.seekBy(-30);
  await player.stop();
  expect(did).toEqual([true, true, 50, 0, 'stop']);
});

it('leaves live television alone', () => {
  playback.current = {} as CurrentService;
  player.pause(true);
  player.seekBy(30);
  playback.current = undefined;
  player.pause();
  expect(did).toEqual([]);
});

it('shows the message that came last, as long as it is open', () => {
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
