/**
 * The link to a broker of MQTT: publishes the state of the receiver, retained, and carries out commands. docs/mqtt.md has
 * the topics.
 *
 * What is published follows from the state, not from the events: an event only says that there may be something new. So
 * everything is right again after a lost connection, whatever happened meanwhile.
 */
import type { IClientOptions, MqttClient } from 'mqtt';
import { ReceiverError } from '../base/errors.ts';
import type { Configuration } from '../config/config.ts';
import { commands } from './commands.ts';
import { discoveryMessages } from './home-assistant.ts';
import { type MqttParts, optionsOf } from './parts.ts';
import { statesOf } from './states.ts';

/** Milliseconds that one event waits for others. */
const together = 100;
/** Milliseconds after which the state is looked at without an event: the next event of the guide begins without one. */
const pace = 10_000;
/** Milliseconds between attempts to reach the broker. */
const retryAfter = 5000;
/** Milliseconds that a stop waits for the broker. */
const longestFarewell = 1000;
/** Bytes of a command; longer ones are ignored. */
const longestCommand = 4096;

type Rules = Configuration['mqtt'];

/** The link that the settings ask for; undefined if there is none. */
export function mqttLinkOf({ mqtt }: Pick<Configuration, 'mqtt'>, parts: MqttParts): MqttLink | undefined {
  return mqtt.url === '' ? undefined : new MqttLink(mqtt, parts);
}

export class MqttLink {
  readonly #rules: Rules;
  readonly #parts: MqttParts;
  #client: MqttClient | undefined;
  #soon: NodeJS.Timeout | undefined;
  #regularly: NodeJS.Timeout | undefined;
  #unlisten: (() => void) | undefined;
  #isPublishing = false;
  #isStopped = false;
  /** What the broker has, by topic. */
  readonly #published = new Map<string, string>();
  /** The last failure that was logged: a broker that is away is tried for days. */
  #told = '';

  constructor(rules: Rules, parts: MqttParts) {
    this.#rules = rules;
    this.#parts = parts;
  }

  /** Connects in the background, again and again until it succeeds. The package is only loaded here. */
  async start(): Promise<void> {
    const { connect } = await import('mqtt');
    if (this.#isStopped) return;
    const { url, user, password } = this.#rules;
    const options: IClientOptions = {
      ...(user !== '' && { username: user, password }),
      clientId: `receiverd-${Math.random().toString(36).slice(2, 12)}`,
      reconnectPeriod: retryAfter,
      // What is published while nobody is there is published anew anyway.
      queueQoSZero: false,
      will: { topic: this.#topic('status'), payload: Buffer.from('offline'), qos: 1, retain: true },
    };
    const client = connect(url, options);
    this.#client = client;
    client.on('connect', () => this.#begin(client));
    client.on('error', ({ message }) => this.#tell(message));
    client.on('close', () => this.#tell('the connection is closed'));
    client.on('message', (topic, payload, { retain }) => {
      // A retained command would be carried out after every start.
      if (!retain) void this.#obey(topic, payload);
    });
    this.#unlisten = this.#parts.events.listen(() => this.#publishSoon());
    this.#regularly = setInterval(() => this.#publishSoon(), pace).unref();
  }

  /** Says that the receiver is gone, and disconnects. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#unlisten?.();
    clearInterval(this.#regularly);
    clearTimeout(this.#soon);
    const client = this.#client;
    if (client === undefined) return;
    const farewell = async () => {
      if (client.connected) await client.publishAsync(this.#topic('status'), 'offline', { qos: 1, retain: true });
    };
    const late = new Promise((resolve) => setTimeout(resolve, longestFarewell).unref());
    await Promise.race([farewell().catch(() => undefined), late]);
    await client.endAsync(true).catch(() => undefined);
  }

  #topic(name: string): string {
    return `${this.#rules.prefix}/${name}`;
  }

  #begin(client: MqttClient): void {
    this.#told = '';
    this.#parts.log.info(`connected to the MQTT broker ${hostOf(this.#rules.url)}`);
    // The broker may have been restarted without what it had.
    this.#published.clear();
    client.subscribe(
      Object.keys(commands).map((name) => this.#topic(`${name}/set`)),
      { qos: 1 },
      (error) => {
        if (error) this.#tell(error.message);
      },
    );
    client.publish(this.#topic('status'), 'online', { qos: 1, retain: true });
    this.#publishSoon();
  }

  #tell(problem: string): void {
    if (this.#isStopped || problem === this.#told) return;
    // The reason comes first, then the end of the connection.
    if (this.#told === '' || problem !== 'the connection is closed')
      this.#parts.log.warn(`MQTT broker ${hostOf(this.#rules.url)}: ${problem}`);
    this.#told = problem;
  }

  #publishSoon(): void {
    if (this.#isStopped || !this.#client?.connected) return;
    this.#soon ??= setTimeout(() => {
      this.#soon = undefined;
      void this.#publish();
    }, together);
  }

  /** Publishes what is new. */
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

  /** Returns whether it was new. */
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

  async #obey(topic: string, payload: Buffer): Promise<void> {
    const name = topic.slice(this.#rules.prefix.length + 1).replace(/\/set$/, '');
    const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
    if (command === undefined || payload.length > longestCommand) return;
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
    // A refused switch has to go back to where it was.
    for (const topic of name === 'channel' ? [name, 'choice'] : [name]) this.#published.delete(this.#topic(topic));
    this.#publishSoon();
  }
}

/** Without name and password, which an address may contain. */
function hostOf(url: string): string {
  const { protocol, host } = new URL(url);
  return `${protocol}//${host}`;
}
