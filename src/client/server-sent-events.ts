/** Reads server-sent events (HTML standard, §9.2.6) of a response. EventSource shows neither silence nor why it was refused. */

export interface ServerSentEvent {
  readonly type: string;
  readonly data: string;
  /** The last id so far; empty before the first. */
  readonly id: string;
}

/** Yields the events until the stream ends. Calls `alive` for every piece that arrives, comments included. */
export async function* readServerSentEvents(
  body: ReadableStream<Uint8Array>,
  alive: () => void,
): AsyncGenerator<ServerSentEvent> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let [text, type, id] = ['', '', ''];
  let data: string[] = [];
  try {
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
      alive();
      const lines = (text + decoder.decode(piece.value, { stream: true })).split(/\r\n|\n|\r(?!$)/);
      text = lines.pop() ?? '';
      for (const line of lines) {
        if (line === '') {
          if (data.length > 0) yield { type: type || 'message', data: data.join('\n'), id };
          [type, data] = ['', []];
          continue;
        }
        const [, field, value = ''] = /^([^:]*):? ?(.*)$/s.exec(line) ?? [];
        if (field === 'event') type = value;
        else if (field === 'data') data.push(value);
        else if (field === 'id') id = value;
      }
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}
