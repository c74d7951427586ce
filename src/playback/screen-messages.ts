/** Messages on the screen: shows the latest one while it is open. */
import type { Messages } from '../device/messages.ts';
import type { Output } from './output.ts';

/** Seconds for which a message without a timeout is shown, unless it is closed earlier. */
const maxSeconds = 86_400;

/** Shows the latest open message on the output, and removes it when it is closed. */
export function showMessages(messages: Messages, output: Pick<Output, 'showText'>): void {
  messages.onMessage(() => {
    const last = messages.open.at(-1);
    if (last === undefined) return output.showText('', 0);
    const { kind, text, timeout = maxSeconds } = last;
    output.showText(kind === 'question' ? `${text}\n\n[OK] Yes   [EXIT] No` : text, timeout);
  });
}
