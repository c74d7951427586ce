/** The list of rules and its changes. A change is on the disk before the response. */
import { fail } from '../base/errors.ts';
import { Listeners } from '../base/listeners.ts';
import { serialQueue } from '../base/serial-queue.ts';
import { TimeSlice } from '../base/time-slice.ts';
import { checkedOrder, maximumRules, type Rule, type RuleOrder, type RuleWords } from './rule.ts';
import type { RuleSettings, RulesContent, RulesFile } from './rules-file.ts';
import { areSame, type Showing } from './showings.ts';

export class RuleList {
  readonly #file: Pick<RulesFile, 'write'>;
  readonly #listeners = new Listeners<[changed: Rule | undefined]>();
  /** Calls `listener` after every change, with the rule that is new or changed. Returns a function that removes it. */
  readonly onChange = this.#listeners.add;
  #content: RulesContent;
  #generation = 0;
  /** Serialises changes. */
  readonly #edit = serialQueue();

  /** @param content the content of the file */
  constructor(file: Pick<RulesFile, 'write'>, content: RulesContent) {
    this.#file = file;
    this.#content = content;
  }

  /** In order of creation. */
  get all(): readonly Rule[] {
    return this.#content.rules;
  }

  get settings(): RuleSettings {
    return this.#content.settings;
  }

  /** Showings with timers, as last stored. */
  get showings(): readonly Showing[] {
    return this.#content.showings;
  }

  /** Increases with every change of a rule or the settings; valid for this run of the receiver. */
  get generation(): number {
    return this.#generation;
  }

  find(id: number): Rule | undefined {
    return this.all.find((rule) => rule.id === id);
  }

  /** @throws ReceiverError `parameter-invalid`, `too-many-rules`, `file-unwritable` */
  async add(given: RuleWords): Promise<Rule> {
    const order = await checkedOrder(given, new TimeSlice());
    const [rule] = await this.addAll(async () => [order]);
    return rule as Rule;
  }

  /**
   * Adds all rules or none; they may depend on the rules present at that time, and have passed `checkedOrder`.
   * @throws ReceiverError `too-many-rules`, `file-unwritable`
   */
  addAll(given: (present: readonly Rule[]) => Promise<readonly RuleOrder[]>): Promise<readonly Rule[]> {
    return this.#edit(async () => {
      const { nextId } = this.#content;
      const orders = await given(this.all);
      if (this.all.length + orders.length > maximumRules) throw fail('too-many-rules', maximumRules);
      const rules = orders.map((order, index): Rule => ({ id: nextId + index, ...order }));
      if (rules.length > 0) await this.#commit({ rules: [...this.all, ...rules], nextId: nextId + rules.length });
      for (const rule of rules) this.#tell(rule);
      return rules;
    });
  }

  /**
   * Changes some fields of a rule; the function form may depend on its current state. No fields means no change.
   * Returns undefined if there is no such rule.
   * @throws ReceiverError `parameter-invalid`, `file-unwritable`
   */
  change(id: number, given: RuleWords | ((old: Rule) => RuleWords)): Promise<Rule | undefined> {
    return this.#edit(async () => {
      const old = this.find(id);
      if (!old) return undefined;
      const changes = typeof given === 'function' ? given(old) : given;
      if (Object.keys(changes).length === 0) return old;
      const rule = { id, ...(await checkedOrder({ ...old, ...changes }, new TimeSlice())) };
      await this.#commit({ rules: this.all.map((one) => (one === old ? rule : one)) });
      this.#tell(rule);
      return rule;
    });
  }

  /** Returns undefined if there is no such rule. @throws ReceiverError `file-unwritable` */
  remove(id: number): Promise<Rule | undefined> {
    return this.#edit(async () => {
      const old = this.find(id);
      if (!old) return undefined;
      await this.#commit({ rules: this.all.filter((one) => one !== old) });
      this.#tell(undefined);
      return old;
    });
  }

  /** @throws ReceiverError `file-unwritable` */
  set(settings: Partial<RuleSettings>): Promise<void> {
    return this.#edit(async () => {
      await this.#commit({ settings: { ...this.settings, ...settings } });
      this.#tell(undefined);
    });
  }

  /** Replaces the stored showings. @throws ReceiverError `file-unwritable` */
  keep(showings: readonly Showing[]): Promise<void> {
    return this.#edit(async () => {
      if (!areSame(showings, this.showings)) await this.#commit({ showings });
    });
  }

  async #commit(changes: Partial<RulesContent>): Promise<void> {
    const content = { ...this.#content, ...changes };
    await this.#file.write(content);
    this.#content = content;
  }

  #tell(changed: Rule | undefined): void {
    this.#generation++;
    this.#listeners.call(changed);
  }
}
