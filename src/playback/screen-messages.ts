/** Messages on the screen: shows the latest one while it is open. */
import type { Messages } from '../device/messages.ts';
import type { Output } from './output.ts';

/** Seconds; a message without a timeout stays until it is closed. */
const longest = 86_400;

/** Shows messages from now on. */
export function showMessages(messages: Messages, output: Pick<Output, 'showText'>): void {
  messages.onMessage(() => {
    const last = messages.open.at(-1);
    if (last === undefined) return output.showText('', 0);
    const { kind, text, timeout = longest } = last;
    output.showText(kind === 'question' ? `${text}\n\n[OK] Yes   [EXIT] No` : text, timeout);
  });
}
