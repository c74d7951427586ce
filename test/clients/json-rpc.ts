/** JSON-RPC 2.0 over a plain socket, in Kodi's dialect: objects one after another, with nothing between them. */
import { once } from 'node:events';
import { connect } from 'node:net';

interface Reply {
  readonly id?: number;
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}

export interface JsonRpc {
  /** Rejects with the peer's error message, or when the connection is closed. */
  call<T>(method: string, parameters?: object): Promise<T>;
  close(): void;
}

/** Resolves when the port of this machine accepts the connection. */
export async function connectJsonRpc(port: number): Promise<JsonRpc> {
  const socket = connect(port, '127.0.0.1').setEncoding('utf8');
  await once(socket, 'connect');
  const waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  const split = objectSplitter((text) => {
    const { id = -1, result, error } = JSON.parse(text) as Reply;
    // A message without an id is a notification.
    const call = waiting.get(id);
    waiting.delete(id);
    if (error) call?.reject(new Error(error.message));
    else call?.resolve(result);
  });
  socket.on('data', split);
  socket.on('error', () => undefined);
  socket.on('close', () => {
    for (const { reject } of waiting.values()) reject(new Error('the connection ended'));
  });
  let last = 0;
  return {
    call: <T>(method: string, params: object = {}) =>
      new Promise<T>((resolve, reject) => {
        if (socket.destroyed) throw new Error('the connection has ended');
        const id = ++last;
        waiting.set(id, { resolve: resolve as (value: unknown) => void, reject });
        socket.write(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
      }),
    close: () => socket.destroy(),
  };
}

/** Splits incoming text into its outermost objects. */
function objectSplitter(found: (text: string) => void): (text: string) => void {
  let text = '';
  let depth = 0;
  let inString = false;
  let isEscaped = false;
  return (more) => {
    for (const character of more) {
      text += character;
      if (inString) {
        if (isEscaped) isEscaped = false;
        else if (character === '\\') isEscaped = true;
        else if (character === '"') inString = false;
      } else if (character === '"') inString = true;
      else if (character === '{') depth++;
      else if (character === '}' && --depth === 0) {
        found(text);
        text = '';
      }
    }
  };
}
