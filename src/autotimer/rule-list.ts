/** The list of rules. A change is stored on disk before its promise resolves. */
import { fail } from '../base/errors.ts';
import { Listeners } from '../base/listeners.ts';
import { serialQueue } from '../base/serial-queue.ts';
import { TimeSlice } from '../base/time-slice.ts';
import { maxRules, type Rule, type RuleInput, type RuleSpec, validateRuleSpec } from './rule.ts';
import type { RuleSettings, RulesContent, RulesFile } from './rules-file.ts';
import { areEqualLists, type Showing } from './showings.ts';

export class RuleList {
  readonly #file: Pick<RulesFile, 'write'>;
  readonly #listeners = new Listeners<[changed: Rule | undefined]>();
  /**
   * Adds a listener, which is called after every change: with the rule if it is new or has changed, otherwise with
   * undefined. Returns a function that removes the listener.
   */
  readonly onChange = this.#listeners.add;
  #content: RulesContent;
  #generation = 0;
  /** Serialises changes. */
  readonly #serialise = serialQueue();

  /** @param content what `file` contains now */
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

  /** The showings with timers, as stored by the last run. */
  get showings(): readonly Showing[] {
    return this.#content.showings;
  }

  /** Increases with every change of a rule or of the settings. Starts at 0 with the receiver. */
  get generation(): number {
    return this.#generation;
  }

  find(id: number): Rule | undefined {
    return this.all.find((rule) => rule.id === id);
  }

  /** @throws ReceiverError `parameter-invalid`, `too-many-rules`, `file-unwritable` */
  async add(given: RuleInput): Promise<Rule> {
    const spec = await validateRuleSpec(given, new TimeSlice());
    const [rule] = await this.addAll(async () => [spec]);
    return rule as Rule;
  }

  /**
   * Adds rules, all or none. `choose` receives the existing rules and returns the new ones, which must have passed
   * `validateRuleSpec`; no other change happens in between.
   * @throws ReceiverError `too-many-rules`, `file-unwritable`
   */
  addAll(choose: (existing: readonly Rule[]) => Promise<readonly RuleSpec[]>): Promise<readonly Rule[]> {
    return this.#serialise(async () => {
      const { nextId } = this.#content;
      const specs = await choose(this.all);
      if (this.all.length + specs.length > maxRules) throw fail('too-many-rules', maxRules);
      const rules = specs.map((spec, index): Rule => ({ id: nextId + index, ...spec }));
      if (rules.length > 0) await this.#commit({ rules: [...this.all, ...rules], nextId: nextId + rules.length });
      for (const rule of rules) this.#publishChange(rule);
      return rules;
    });
  }

  /**
   * Changes the given fields of a rule; a function computes them from the current rule. Returns the changed rule, or
   * undefined if there is none with this id.
   * @throws ReceiverError `parameter-invalid`, `file-unwritable`
   */
  change(id: number, given: RuleInput | ((old: Rule) => RuleInput)): Promise<Rule | undefined> {
    return this.#serialise(async () => {
      const old = this.find(id);
      if (!old) return undefined;
      const changes = typeof given === 'function' ? given(old) : given;
      if (Object.keys(changes).length === 0) return old;
      const rule = { id, ...(await validateRuleSpec({ ...old, ...changes }, new TimeSlice())) };
      await this.#commit({ rules: this.all.map((other) => (other === old ? rule : other)) });
      this.#publishChange(rule);
      return rule;
    });
  }

  /** Returns the removed rule, or undefined if there is none with this id. @throws ReceiverError `file-unwritable` */
  remove(id: number): Promise<Rule | undefined> {
    return this.#serialise(async () => {
      const old = this.find(id);
      if (!old) return undefined;
      await this.#commit({ rules: this.all.filter((rule) => rule !== old) });
      this.#publishChange(undefined);
      return old;
    });
  }

  /** @throws ReceiverError `file-unwritable` */
  changeSettings(settings: Partial<RuleSettings>): Promise<void> {
    return this.#serialise(async () => {
      await this.#commit({ settings: { ...this.settings, ...settings } });
      this.#publishChange(undefined);
    });
  }

  /** Replaces the stored showings. @throws ReceiverError `file-unwritable` */
  storeShowings(showings: readonly Showing[]): Promise<void> {
    return this.#serialise(async () => {
      if (!areEqualLists(showings, this.showings)) await this.#commit({ showings });
    });
  }

  async #commit(changes: Partial<RulesContent>): Promise<void> {
    const content = { ...this.#content, ...changes };
    await this.#file.write(content);
    this.#content = content;
  }

  #publishChange(changed: Rule | undefined): void {
    this.#generation++;
    this.#listeners.call(changed);
  }
}
