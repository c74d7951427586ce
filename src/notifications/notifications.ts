/**
 * Publishes notices: on the event bus, to hooks, and to webhooks and a messaging service. Failed recordings, and what
 * could not be delivered yet, survive a restart in `notifications.json` of the data folder.
 */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Logger } from 'pino';
import * as Type from 'typebox';
import * as Value from 'typebox/value';
import type { Clock } from '../base/clock.ts';
import { systemReason } from '../base/errors.ts';
import { keepDamaged, readRegularFile, replaceFile } from '../base/files.ts';
import { localTime } from '../base/local-time.ts';
import { serialQueue } from '../base/serial-queue.ts';
import { signalWithin } from '../base/signal-within.ts';
import type { Configuration } from '../config/config.ts';
import type { Events } from '../events/events.ts';
import { type HookKind, type Notice, type NoticeKind, NoticeSchema } from '../events/notice.ts';
import type { NetworkStreams } from '../iptv/network-streams.ts';
import { type Target, targetsOf } from './forms.ts';
import { Hooks } from './hooks.ts';
import { Outbox, type OutboxParts } from './outbox.ts';

/** Failed recordings that are kept. */
const maxFailures = 20;
const requestTimeoutMs = 20_000;
const maxFileBytes = 16 * 2 ** 20;

const Stored = Type.Object({
  failures: Type.Array(NoticeSchema),
  /** Of the targets, by the hash of their address, which may be a secret. */
  pending: Type.Array(Type.Object({ target: Type.String(), notice: NoticeSchema })),
});

export type NoticeFields = Partial<Omit<Notice, 'id' | 'event' | 'time' | 'receiver' | 'message'>>;

type NoticeConfiguration = Pick<Configuration, 'dataDir' | 'hooks' | 'mqtt' | 'name' | 'notifications' | 'timeZone'>;

export interface NotificationsParts {
  readonly clock: Clock;
  readonly log: Logger;
  readonly events: Events;
  readonly network: Pick<NetworkStreams, 'post'>;
}

/** A target and what has become of its notices. */
export interface TargetState {
  readonly name: string;
  /** Notices that wait. */
  readonly pending: number;
  /** Why the last attempt failed; empty if it did not. */
  readonly problem: string;
  /** Unix seconds of the last delivery; 0: none since the start. */
  readonly delivered: number;
}

export class Notifications {
  readonly #parts: NotificationsParts;
  readonly #configuration: NoticeConfiguration;
  readonly #file: string;
  readonly #hooks: Hooks;
  readonly #serial = serialQueue();
  readonly #ending = new AbortController();
  readonly #outboxes = new Map<string, { target: Target; readonly outbox: Outbox }>();
  #rules: Configuration['notifications'];
  #failures: readonly Notice[] = [];
  #saving: Promise<void> | undefined;
  #saveTrouble = '';

  constructor(parts: NotificationsParts, configuration: NoticeConfiguration) {
    this.#parts = parts;
    this.#configuration = configuration;
    this.#file = join(configuration.dataDir, 'notifications.json');
    this.#hooks = new Hooks({ log: parts.log, folder: configuration.dataDir }, configuration.hooks);
    this.#rules = configuration.notifications;
  }

  /** Failed recordings that nobody has dismissed, the latest first. */
  get failures(): readonly Notice[] {
    return this.#failures;
  }

  get targets(): readonly TargetState[] {
    return [...this.#outboxes.values()].map(({ target, outbox }) => ({
      name: target.name,
      pending: outbox.pending.length,
      problem: outbox.trouble,
      delivered: outbox.delivered,
    }));
  }

  /** Reads what is left of the last run, and resumes deliveries. */
  async start(): Promise<void> {
    const { failures, pending } = await this.#read();
    // A recording without a timer does not resume.
    const known = failures.map((failure) => (failure.timer === 0 ? { ...failure, ongoing: false } : failure));
    this.#failures = [...this.#failures, ...known].slice(0, maxFailures);
    this.#setTargets(pending);
  }

  /** Applies changed settings. */
  setRules(rules: Configuration['notifications']): void {
    this.#rules = rules;
    this.#setTargets([]);
  }

  /** Whether a hook, a target or MQTT does anything with such notices. */
  isWanted(kind: HookKind): boolean {
    const isSent = this.#outboxes.size > 0 && this.#isSent(kind);
    return isSent || this.#configuration.mqtt.url !== '' || this.#hooks.isWanted(kind);
  }

  readonly publish = (kind: NoticeKind, fields: NoticeFields): void => {
    const notice = this.#notice(kind, fields);
    this.#parts.events.publish('notice', notice);
    this.#hooks.run(notice);
    if (kind === 'recordingFailed') {
      // What has failed for good replaces what was failing.
      const others = this.#failures.filter((other) => !isSameOccasion(other, notice));
      this.#failures = [notice, ...others].slice(0, maxFailures);
      this.#save();
    }
    if (works.has(kind)) this.withdraw((failing) => isSameOccasion(failing, notice));
    if (this.#isSent(kind)) for (const { outbox } of this.#outboxes.values()) outbox.add(notice);
  };

  /** Forgets recordings and timers that were failing, but no longer are. */
  withdraw(isOver: (failing: Notice) => boolean): void {
    const left = this.#failures.filter((failure) => !failure.ongoing || !isOver(failure));
    if (left.length === this.#failures.length) return;
    this.#failures = left;
    this.#save();
  }

  /** Forgets a failed recording, by the id of its notice. */
  dismiss(id: string): void {
    this.#failures = this.#failures.filter((failure) => failure.id !== id);
    this.#save();
  }

  /** Sends a notice to each target at once. Resolves to why each failed; empty if it did not. */
  test(): Promise<readonly { readonly name: string; readonly problem: string }[]> {
    return this.#serial(() =>
      Promise.all(
        [...this.#outboxes.values()].map(async ({ target }) => {
          const problem = await this.#send(target, this.#notice('test', {})).then(
            () => '',
            (error: Error) => error.message,
          );
          return { name: target.name, problem };
        }),
      ),
    );
  }

  async stop(): Promise<void> {
    this.#ending.abort();
    await Promise.all([this.#hooks.stop(), ...[...this.#outboxes.values()].map(({ outbox }) => outbox.close())]);
    await this.#saving;
    if (this.#saveTrouble !== '')
      for (const { outbox } of this.#outboxes.values()) await outbox.close('the receiver stops, and cannot save it');
  }

  #isSent(kind: NoticeKind): boolean {
    // Every target gets failures, so it also gets their end.
    return (
      kind === 'recordingFailed' || kind === 'recordingResumed' || this.#rules.events.some((event) => event === kind)
    );
  }

  #setTargets(pending: Type.Static<typeof Stored>['pending']): void {
    const targets = new Map(targetsOf(this.#rules).map((target) => [target.id, target]));
    for (const [id, { outbox }] of this.#outboxes) {
      if (targets.has(id)) continue;
      this.#outboxes.delete(id);
      void outbox.close('its address is no longer in the settings');
    }
    for (const { target, notice } of pending)
      if (!targets.has(target)) this.#parts.log.error(`a notice is given up: its address has gone (${notice.message})`);
    const parts: OutboxParts = { ...this.#parts, send: this.#send, changed: () => this.#save() };
    for (const [id, target] of targets) {
      const known = this.#outboxes.get(id);
      if (known) {
        known.target = target;
        known.outbox.target = target;
      } else {
        const left = pending.filter((one) => one.target === id).map(({ notice }) => notice);
        this.#outboxes.set(id, { target, outbox: new Outbox(parts, target, left) });
      }
    }
  }

  readonly #send = async (target: Target, notice: Notice): Promise<void> => {
    const { url, ...content } = target.requestOf(notice);
    const signal = signalWithin(requestTimeoutMs, this.#ending.signal);
    await this.#parts.network.post(url, content, signal);
  };

  #notice(event: Notice['event'], fields: NoticeFields): Notice {
    const notice: Notice = {
      id: randomUUID(),
      event,
      time: this.#parts.clock.now(),
      receiver: this.#configuration.name,
      message: '',
      title: '',
      service: '',
      reference: '',
      begin: 0,
      end: 0,
      description: '',
      path: '',
      problem: '',
      ongoing: false,
      timer: 0,
      conflicts: [],
      ...fields,
    };
    return { ...notice, message: this.#messageOf(notice) };
  }

  #messageOf({ event, title, service, begin, problem, ongoing, conflicts }: Notice): string {
    const local = localTime(this.#configuration.timeZone);
    const what = `${title} (${service})`;
    const when = `${local.weekdayAndDate(begin)} ${local.clock(begin)}`;
    const why = problem && `: ${problem}`;
    const others = conflicts.map((one) => one.title).join(', ');
    const texts: Readonly<Record<Notice['event'], string>> = {
      recordingStarted: `Recording has started: ${what}`,
      recordingEnded: `Recording has ended: ${what}${why}`,
      recordingResumed: `Recording continues: ${what}`,
      recordingFailed: `Recording ${ongoing ? 'is failing' : 'has failed'}: ${what}${why}`,
      timerAdded: `Timer was added: ${what}, ${when}`,
      conflict: `Timer without a tuner: ${what}, ${when}${others && `; at the same time: ${others}`}`,
      test: 'This is a test.',
    };
    // Titles come from the broadcast.
    return (texts[event] ?? '').replace(/\p{Cc}/gu, ' ');
  }

  async #read(): Promise<Type.Static<typeof Stored>> {
    const none = { failures: [], pending: [] };
    try {
      const content: unknown = JSON.parse((await readRegularFile(this.#file, maxFileBytes)).toString());
      if (Value.Check(Stored, content)) return content;
      throw new Error('its content is invalid');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return none;
      this.#parts.log.error(`${this.#file} is not used: ${systemReason(error)}`);
      await keepDamaged(this.#file).catch(() => undefined);
      return none;
    }
  }

  /** Writes the file in the background. */
  #save(): void {
    this.#saving ??= this.#write().finally(() => {
      this.#saving = undefined;
    });
  }

  async #write(): Promise<void> {
    let written: string | undefined;
    for (let text = this.#text(); text !== written; text = this.#text()) {
      written = text;
      const problem = await replaceFile(this.#file, Buffer.from(text), 0o600).then(() => '', systemReason);
      if (problem !== '' && problem !== this.#saveTrouble)
        this.#parts.log.error(`${this.#file} cannot be written: ${problem}`);
      this.#saveTrouble = problem;
    }
  }

  #text(): string {
    const pending = [...this.#outboxes].flatMap(([target, { outbox }]) =>
      outbox.pending.map((notice) => ({ target, notice })),
    );
    return JSON.stringify({ failures: [...this.#failures], pending } satisfies Type.Static<typeof Stored>);
  }
}

/** Notices that withdraw the failing one of the same recording. */
const works: ReadonlySet<NoticeKind> = new Set(['recordingStarted', 'recordingResumed', 'recordingEnded']);

const isSameOccasion = (one: Notice, other: Notice) =>
  one.timer === 0 ? one.path !== '' && one.path === other.path : one.timer === other.timer && one.begin === other.begin;
