/**
 * The link to an MQTT broker: publishes the state of the receiver in retained messages and executes commands.
 * docs/mqtt.md describes the topics.
 *
 * It publishes the current state, not the events; an event only means that the state may have changed. So the topics
 * are correct again after a lost connection.
 */
import type { IClientOptions, MqttClient } from 'mqtt';
import { ReceiverError } from '../base/errors.ts';
import type { Configuration } from '../config/config.ts';
import type { Notice } from '../events/notice.ts';
import { commands } from './commands.ts';
import { discoveryMessages } from './home-assistant.ts';
import { type MqttParts, optionsOf } from './parts.ts';
import { statesOf } from './states.ts';

/** How long the first event waits for others, so that they are published together. */
const publishDelayMs = 100;
/** How often the state is also published without an event: the start of a programme in the guide emits none. */
const publishIntervalMs = 10_000;
/** Between attempts to reach the broker. */
const reconnectIntervalMs = 5000;
/** How long a stop waits for the broker. */
const stopTimeoutMs = 1000;
/** Longer commands are ignored. */
const maxCommandBytes = 4096;
/** Notices that wait for a connection. */
const maxNotices = 100;

type Rules = Configuration['mqtt'];

/** The link to the configured broker; undefined if none is configured. */
export function mqttLinkOf({ mqtt }: Pick<Configuration, 'mqtt'>, parts: MqttParts): MqttLink | undefined {
  return mqtt.url === '' ? undefined : new MqttLink(mqtt, parts);
}

export class MqttLink {
  readonly #rules: Rules;
  readonly #parts: MqttParts;
  #client: MqttClient | undefined;
  #publishTimer: NodeJS.Timeout | undefined;
  #publishInterval: NodeJS.Timeout | undefined;
  #unlisten: (() => void) | undefined;
  #isPublishing = false;
  #isStopped = false;
  /** Notices that wait for a connection. */
  readonly #notices: Notice[] = [];
  /** The last message of each topic. */
  readonly #published = new Map<string, string>();
  /** The last problem that was logged, so that the attempts to reach a missing broker are logged once. */
  #loggedProblem = '';

  constructor(rules: Rules, parts: MqttParts) {
    this.#rules = rules;
    this.#parts = parts;
  }

  /** Connects in the background, and retries until it succeeds. Loads the MQTT package. */
  async start(): Promise<void> {
    const { connect } = await import('mqtt');
    if (this.#isStopped) return;
    const { url, user, password } = this.#rules;
    const options: IClientOptions = {
      ...(user !== '' && { username: user, password }),
      clientId: `receiverd-${Math.random().toString(36).slice(2, 12)}`,
      reconnectPeriod: reconnectIntervalMs,
      // Not needed: everything is published again after a connection.
      queueQoSZero: false,
      will: { topic: this.#topic('status'), payload: Buffer.from('offline'), qos: 1, retain: true },
    };
    const client = connect(url, options);
    this.#client = client;
    client.on('connect', () => this.#onConnect(client));
    client.on('error', ({ message }) => this.#logProblem(message));
    client.on('close', () => this.#logProblem('the connection is closed'));
    client.on('message', (topic, payload, { retain }) => {
      // A retained command would be executed at every connection.
      if (!retain) void this.#execute(topic, payload);
    });
    this.#unlisten = this.#parts.events.listen((event) => {
      if (event.type === 'notice') this.#addNotice(event.data);
      this.#publishSoon();
    });
    this.#publishInterval = setInterval(() => this.#publishSoon(), publishIntervalMs).unref();
  }

  /** Publishes that the receiver is offline, and disconnects. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#unlisten?.();
    clearInterval(this.#publishInterval);
    clearTimeout(this.#publishTimer);
    const client = this.#client;
    if (client === undefined) return;
    const publishOffline = async () => {
      if (client.connected) await client.publishAsync(this.#topic('status'), 'offline', { qos: 1, retain: true });
    };
    const timeout = new Promise((resolve) => setTimeout(resolve, stopTimeoutMs).unref());
    await Promise.race([publishOffline().catch(() => undefined), timeout]);
    await client.endAsync(true).catch(() => undefined);
  }

  #topic(name: string): string {
    return `${this.#rules.prefix}/${name}`;
  }

  #onConnect(client: MqttClient): void {
    this.#loggedProblem = '';
    this.#parts.log.info(`connected to the MQTT broker ${hostOf(this.#rules.url)}`);
    // A restarted broker may have lost its retained messages.
    this.#published.clear();
    client.subscribe(
      Object.keys(commands).map((name) => this.#topic(`${name}/set`)),
      { qos: 1 },
      (error) => {
        if (error) this.#logProblem(error.message);
      },
    );
    client.publish(this.#topic('status'), 'online', { qos: 1, retain: true });
    this.#publishNotices();
    this.#publishSoon();
  }

  /** Keeps a notice until there is a connection. */
  #addNotice(notice: Notice): void {
    this.#notices.push(notice);
    if (this.#notices.length > maxNotices) {
      const lost = this.#notices.shift();
      this.#parts.log.error(`MQTT: a notice is given up: more than ${maxNotices} wait (${lost?.message})`);
    }
    this.#publishNotices();
  }

  #publishNotices(): void {
    const client = this.#client;
    if (!client?.connected) return;
    for (const notice of this.#notices.splice(0))
      client.publish(this.#topic('notice'), JSON.stringify(notice), { qos: 1 });
  }

  #logProblem(problem: string): void {
    if (this.#isStopped || problem === this.#loggedProblem) return;
    // The broker's reason is reported first; the end of the connection adds nothing.
    if (this.#loggedProblem === '' || problem !== 'the connection is closed')
      this.#parts.log.warn(`MQTT broker ${hostOf(this.#rules.url)}: ${problem}`);
    this.#loggedProblem = problem;
  }

  #publishSoon(): void {
    if (this.#isStopped || !this.#client?.connected) return;
    this.#publishTimer ??= setTimeout(() => {
      this.#publishTimer = undefined;
      void this.#publish();
    }, publishDelayMs);
  }

  /** Publishes the topics that have changed. */
  async #publish(): Promise<void> {
    if (this.#isPublishing) return this.#publishSoon();
    this.#isPublishing = true;
    try {
      const states = await statesOf(this.#parts);
      let isNew = false;
      for (const [topic, text] of this.#discovery()) isNew = this.#retain(topic, text) || isNew;
      // Home Assistant drops an entity's state when its discovery message changes.
      if (isNew) for (const topic of states.keys()) this.#published.delete(this.#topic(topic));
      for (const [topic, text] of states) this.#retain(this.#topic(topic), text);
    } catch (error) {
      this.#parts.log.error(error, 'the state is not published by MQTT');
    } finally {
      this.#isPublishing = false;
    }
  }

  /** Publishes a retained message unless it was the last one of its topic. Returns whether it was published. */
  #retain(topic: string, text: string): boolean {
    if (this.#published.get(topic) === text || !this.#client?.connected) return false;
    this.#published.set(topic, text);
    this.#client.publish(topic, text, { qos: 0, retain: true });
    return true;
  }

  *#discovery(): Generator<[topic: string, text: string]> {
    const { discovery, prefix } = this.#rules;
    if (discovery === '') return;
    const { identity } = this.#parts.device;
    const channels = [...optionsOf(this.#parts.services).keys()];
    const messages = discoveryMessages({ prefix, identity, tuners: this.#parts.tuners(), channels });
    for (const [topic, text] of messages) yield [`${discovery}/${topic}`, text];
  }

  async #execute(topic: string, payload: Buffer): Promise<void> {
    const name = topic.slice(this.#rules.prefix.length + 1).replace(/\/set$/, '');
    const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
    if (command === undefined || payload.length > maxCommandBytes) return;
    try {
      await command(this.#parts, payload.toString().trim());
    } catch (error) {
      if (!(error instanceof ReceiverError)) return this.#parts.log.error(error, `MQTT ${topic}`);
      this.#parts.log.warn(`MQTT ${topic}: ${error.message}`);
      this.#client?.publish(
        this.#topic('error'),
        JSON.stringify({ command: name, error: error.code, message: error.message }),
      );
    }
    // Publishes the state again, so that the switch of a refused command returns to it.
    for (const topic of name === 'channel' ? [name, 'choice'] : [name]) this.#published.delete(this.#topic(topic));
    this.#publishSoon();
  }
}

/** The URL of the broker without user name and password, for the log. */
function hostOf(url: string): string {
  const { protocol, host } = new URL(url);
  return `${protocol}//${host}`;
}
