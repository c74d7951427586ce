/** Messages for the viewer, shown until someone answers or closes them, here or elsewhere, or until they time out. */
import { element } from './elements.js';
import { ask } from './receiver.js';

/** The possible answers: the word for the receiver, and the label. */
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
  /** Elements by message id: messages already shown keep their place and focus. */
  #shown = new Map();

  /** `attempt` runs requests to the receiver. */
  constructor(where, attempt) {
    this.#where = where;
    this.#attempt = attempt;
  }

  /** Shows the currently open messages. */
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

  /** Refreshes in any case, since someone else may have answered first. */
  async #answer(id, answer) {
    await this.#attempt(() => ask(`/api/messages/${id}`, { answer }, { method: 'POST' }));
    await this.#attempt(() => this.refresh());
  }
}
