/** The JSON connection to mpv, against a scripted peer. */
import { Duplex } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { MpvConnection, type MpvEvent } from '../../src/playback/mpv/connection.ts';

/** The scripted peer: what was written to it, and a way to send. */
class Peer extends Duplex {
  readonly commands: { readonly command: readonly unknown[]; readonly request_id: number }[] = [];

  override _read(): void {
    // Data is only pushed.
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.commands.push(JSON.parse(chunk.toString()));
    done();
  }

  say(text: string): void {
    this.push(text);
  }
}

const open = () => {
  const peer = new Peer();
  return { peer, connection: new MpvConnection(peer) };
};

describe('the connection to mpv', () => {
  it('matches replies to commands, in whatever order and chunks they arrive', async () => {
    const { peer, connection } = open();
    const both = Promise.all([
      connection.command('get_property', 'volume'),
      connection.command('seek', 1.5, 'absolute'),
    ]);
    expect(peer.commands).toEqual([
      { command: ['get_property', 'volume'], request_id: 1 },
      { command: ['seek', 1.5, 'absolute'], request_id: 2 },
    ]);
    peer.say('{"data":null,"request_id":2,"error":"success"}\n{"data":55.0,"req');
    peer.say('uest_id":1,"error":"success"}\n');
    expect(await both).toEqual([55, null]);
  });

  it('rejects a command with mpv’s own error text, and all pending ones when mpv exits', async () => {
    const { peer, connection } = open();
    const refused = connection.command('get_property', 'time-pos');
    peer.say('{"request_id":1,"error":"property unavailable"}\n');
    await expect(refused).rejects.toThrow('property unavailable');
    const waiting = connection.command('stop');
    peer.destroy();
    await expect(waiting).rejects.toThrow('mpv has exited');
    await expect(connection.command('stop')).rejects.toThrow('mpv has exited');
  });

  it('reports events, and ignores messages it does not know', async () => {
    const { peer, connection } = open();
    const events: MpvEvent[] = [];
    connection.onEvent((event) => events.push(event));
    const answer = connection.command('stop');
    peer.say('no json\n[]\n7\n{}\n{"request_id":99,"error":"success"}\n');
    peer.say('{"event":"end-file","reason":"eof"}\n{"request_id":1,"error":"success"}\n');
    await answer;
    expect(events).toEqual([{ event: 'end-file', reason: 'eof' }]);
  });

  it('reports an event after the reply that precedes it, even in one chunk', async () => {
    const { peer, connection } = open();
    const order: string[] = [];
    const reported = new Promise<void>((resolve) => {
      connection.onEvent(({ event }) => {
        order.push(event);
        resolve();
      });
    });
    void connection.command('loadfile', 'list.ts').then(() => order.push('reply'));
    peer.say('{"request_id":1,"error":"success"}\n{"event":"end-file","reason":"error"}\n');
    await reported;
    expect(order).toEqual(['reply', 'end-file']);
  });

  it('closes on a line that is too long', async () => {
    const { peer, connection } = open();
    const waiting = connection.command('stop');
    peer.say('x'.repeat((1 << 20) + 1));
    await expect(waiting).rejects.toThrow('mpv has exited');
    expect(peer.destroyed).toBe(true);
  });
});
