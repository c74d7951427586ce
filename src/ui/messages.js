/**
 * Messages to whoever sits before the receiver: shown until somebody answers or closes them, on this page or elsewhere, or their
 * time is up.
 */
import { element } from './elements.js';
import { ask } from './receiver.js';

/** What can be said to a message: the word for the receiver, and for people. */
const answers = {
  question: [
    ['yes', 'Yes'],
    ['no', 'No'],
  ],
  other: [['close', 'OK']],
};

const titles = { question: 'Question', information: 'Message', warning: 'Warning', error: 'Error' };

export class Messages {
  #where;
  #attempt;
  /** Elements by the id of their message: what is shown already keeps its place and its focus. */
  #shown = new Map();

  /** `attempt` runs what asks the receiver. */
  constructor(where, attempt) {
    this.#where = where;
    this.#attempt = attempt;
  }

  /** Shows what is open now. */
  async refresh() {
    const { messages } = await ask('/api/messages');
    const open = new Set(messages.map(({ id }) => id));
    for (const [id, box] of this.#shown) {
      if (open.has(id)) continue;
      box.remove();
      this.#shown.delete(id);
    }
    for (const message of messages) {
      if (this.#shown.has(message.id)) continue;
      const box = this.#box(message);
      this.#shown.set(message.id, box);
      this.#where.append(box);
    }
  }

  #box({ id, kind, text }) {
    const title = `message-${id}`;
    const buttons = (answers[kind] ?? answers.other).map(([answer, label]) =>
      element('button', { type: 'button', class: 'button', onclick: () => this.#answer(id, answer) }, label),
    );
    return element(
      'div',
      { class: `message ${kind}`, role: 'alertdialog', 'aria-labelledby': title, 'aria-describedby': `${title}-text` },
      element('h2', { id: title }, titles[kind] ?? titles.information),
      element('p', { id: `${title}-text` }, text),
      element('div', { class: 'answers' }, ...buttons),
    );
  }

  /** Somebody else may have been faster: what is open then is asked for again in any case. */
  async #answer(id, answer) {
    await this.#attempt(() => ask(`/api/messages/${id}`, { answer }, { method: 'POST' }));
    await this.#attempt(() => this.refresh());
  }
}
