/**
 * MQTT of the whole program with Debian's mosquitto: states, commands, discovery, logins, TLS, and lost connections.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { dirname, join } from 'node:path';
import { connectAsync, type MqttClient } from 'mqtt';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createSelfSigned } from '../../src/access/self-signed.ts';
import { systemClock } from '../../src/base/clock.ts';
import { freePort } from '../fixtures/free-port.ts';
import { eventually, until } from '../fixtures/waits.ts';
import { notice } from '../notifications/notice.ts';
import { type Program, removeFolder, startProgram, temporaryFolder } from '../receiver/program.ts';

const mosquitto = ['/usr/sbin/mosquitto', '/usr/bin/mosquitto'].find((path) => existsSync(path));

/** Starts a broker on this machine, with further lines of configuration. */
class Broker {
  readonly #file: string;
  readonly port: number;
  #child: ChildProcess | undefined;

  constructor(folder: string, port: number, settings: readonly string[]) {
    this.port = port;
    this.#file = join(folder, `mosquitto-${port}.conf`);
    // If it is started by root, it switches to another user, who may not read the folder.
    const lines = [`listener ${port} 127.0.0.1`, 'user root', ...settings, ''];
    writeFileSync(this.#file, lines.join('\n'));
  }

  async start(): Promise<void> {
    this.#child = spawn(mosquitto ?? '', ['-c', this.#file], { stdio: 'ignore' });
    await eventually(async () => {
      const socket = connect(this.port, '127.0.0.1');
      const isThere = await once(socket, 'connect').then(
        () => true,
        () => undefined,
      );
      socket.destroy();
      return isThere;
    }, 'the broker listens');
  }

  async stop(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child === undefined) return;
    child.kill();
    await once(child, 'exit');
  }
}

/** Another client of the broker, which keeps the last message of each topic. */
class Listener {
  readonly client: MqttClient;
  readonly topics = new Map<string, string>();

  constructor(client: MqttClient) {
    this.client = client;
    client.on('message', (topic, payload) => this.topics.set(topic, payload.toString()));
  }

  static async open(url: string, options = {}): Promise<Listener> {
    const listener = new Listener(await connectAsync(url, { reconnectPeriod: 200, ...options }));
    await listener.client.subscribeAsync('#');
    return listener;
  }

  /** Waits until these topics have these messages. */
  async has(wanted: Readonly<Record<string, unknown>>): Promise<void> {
    await until(() => expect(Object.fromEntries(this.topics)).toMatchObject(wanted));
  }
}

describe.skipIf(!mosquitto)('MQTT', () => {
  const folder = temporaryFolder();
  let broker: Broker;
  let program: Program;
  let listener: Listener;
  const url = () => `mqtt://127.0.0.1:${broker.port}`;
  let started = 0;

  /** Starts the program with these settings of `mqtt`. */
  async function start(settings: Readonly<Record<string, string>>, data?: string): Promise<void> {
    started++;
    const file = join(folder, `settings-${started}.yaml`);
    writeFileSync(file, JSON.stringify({ mqtt: settings }));
    program = await startProgram(data ?? join(folder, `data-${started}`), '--tuner', 'demo', '--config', file);
  }

  describe('with an open broker', () => {
    beforeAll(async () => {
      broker = new Broker(folder, await freePort(), ['allow_anonymous true']);
      await broker.start();
    });
    afterAll(() => broker.stop());
    beforeEach(async () => {
      await start({ url: url(), prefix: `box${started}` });
      listener = await Listener.open(url());
      await listener.has({ [`${prefix()}/status`]: 'online', [`${prefix()}/channel`]: 'Aldermoor One' });
    });
    afterEach(async () => {
      await program.stop();
      await listener.client.endAsync();
    });

    const prefix = () => `box${started - 1}`;
    const states = (wanted: Readonly<Record<string, unknown>>) =>
      listener.has(Object.fromEntries(Object.entries(wanted).map(([name, text]) => [`${prefix()}/${name}`, text])));
    const command = (name: string, text: string, options = {}) =>
      listener.client.publishAsync(`${prefix()}/${name}/set`, text, options);

    it('publishes the state, also for clients that connect later', async () => {
      await program.get('/api/vol?set=set37');
      await states({
        power: 'ON',
        volume: '37',
        mute: 'OFF',
        service: expect.stringMatching(/^1:0:/),
        recording: 'OFF',
        recordings: '0',
        timers: '0',
        'tuner/0/name': 'Tuner A',
        'tuner/0/state': expect.stringMatching(/^(idle|locked)$/),
      });
      await until(() => expect(listener.topics.get(`${prefix()}/event`)).toMatch(/\w/));
      const later = await Listener.open(url());
      await later.has({ [`${prefix()}/volume`]: '37' });
      await later.client.endAsync();
    });

    it('publishes recordings and timers', async () => {
      await program.get('/api/recordnow');
      await states({ recording: 'ON', recordings: '1', timers: '1' });
    });

    it('publishes notices, and failed recordings until they are dismissed', async () => {
      // An empty state is not retained: only clients that are connected already receive it.
      await states({ problem: 'OFF' });
      await program.get('/api/recordnow');
      await states({ notice: expect.stringContaining('"event":"recordingStarted"'), problem: 'OFF' });
      await program.stop();
      const message = 'Recording has failed: Ships (Alpha HD): no signal';
      const failed = notice({ id: 'x', event: 'recordingFailed', message });
      writeFileSync(join(program.folder, 'notifications.json'), JSON.stringify({ failures: [failed], pending: [] }));
      await start({ url: url(), prefix: prefix() }, program.folder);
      started--;
      await states({ problem: 'ON', failure: message });
      const body = new URLSearchParams({ id: 'x' });
      await fetch(`${program.http}/api/notifications/dismiss`, { method: 'POST', body });
      // Nothing else may happen until then.
      await program.get('/api/vol?set=set37');
      await states({ problem: 'OFF', failure: '' });
    });

    it('executes commands', async () => {
      await command('volume', '21.0');
      await command('mute', 'ON');
      await states({ volume: '21', mute: 'ON' });
      await command('volume', 'up');
      await command('mute', 'TOGGLE');
      await states({ volume: '26', mute: 'OFF' });
      await command('channel', 'Talblick 24');
      await states({ channel: 'Talblick 24' });
      await command('key', '403');
      await states({ channel: 'Aldermoor One' });
      await command('message', 'The washing machine is ready');
      await command('message', JSON.stringify({ kind: 'question', text: 'Another one?', timeout: 60 }));
      await until(async () =>
        expect(await program.json('/api/messages')).toMatchObject({
          messages: [
            { kind: 'information', text: 'The washing machine is ready' },
            { kind: 'question', text: 'Another one?' },
          ],
        }),
      );
      await command('power', 'OFF');
      await states({ power: 'OFF' });
      await command('power', 'on');
      await states({ power: 'ON' });
    });

    it('reports why a command is refused, and publishes the unchanged state', async () => {
      listener.topics.delete(`${prefix()}/volume`);
      await command('volume', '101');
      await states({ error: expect.stringContaining('"error":"parameter-invalid"'), volume: expect.any(String) });
      await command('channel', 'no such channel');
      await states({ error: expect.stringContaining('"command":"channel"') });
      await command('nothing', 'x');
      await command('message', 'x'.repeat(5000));
      await command('mute', 'ON');
      await states({ mute: 'ON' });
      expect(await program.json('/api/messages')).toMatchObject({ messages: [] });
    });

    it('does not execute retained commands', async () => {
      await command('volume', '99', { retain: true });
      await states({ volume: '99' });
      await program.stop();
      await states({ status: 'offline' });
      await start({ url: url(), prefix: prefix() });
      started--;
      await states({ status: 'online' });
      await command('mute', 'ON');
      await states({ mute: 'ON' });
      expect(await program.json('/api/vol')).toMatchObject({ current: 100 });
      await command('volume', '', { retain: true });
    });

    it('announces itself to Home Assistant', async () => {
      const entity = (kind: string, id: string) =>
        listener.topics.get(`homeassistant/${kind}/${prefix()}/${id}/config`);
      await until(() => expect(JSON.parse(entity('select', 'channel') ?? '{}').options).toContain('Talblick 24'));
      await until(() =>
        expect(JSON.parse(entity('switch', 'power') ?? '{}')).toMatchObject({
          name: 'Power',
          unique_id: `${prefix()}_power`,
          state_topic: `${prefix()}/power`,
          command_topic: `${prefix()}/power/set`,
          availability_topic: `${prefix()}/status`,
          device: { identifiers: [prefix()], name: 'receiverd', manufacturer: 'receiverd' },
        }),
      );
      const kinds = [
        ...['channel', 'event', 'failure', 'message', 'mute', 'power', 'problem', 'recording', 'timers', 'tuner_0'],
        'volume',
      ];
      await until(() => {
        const topics = [...listener.topics.keys()].map((topic) => topic.split('/'));
        const own = topics.filter(([first, , node]) => first === 'homeassistant' && node === prefix());
        expect(own.map(([, , , id]) => id).sort()).toEqual(kinds);
      });
    });

    it('publishes which of Home Assistant’s channels is selected, or that none is', async () => {
      await command('channel', 'Talblick 24');
      await states({ channel: 'Talblick 24', choice: 'Talblick 24' });
      const film = join(folder, `data-${started}`, 'movie', 'Film.ts');
      mkdirSync(dirname(film), { recursive: true });
      writeFileSync(film, Buffer.alloc(376_000, 0x47));
      await program.get(`/api/zap?sRef=1:0:0:0:0:0:0:0:0:0:${film}`);
      await states({ channel: 'Film', choice: 'None' });
      await command('channel', 'no such channel');
      await states({ choice: 'None' });
      await command('channel', 'Aldermoor One');
      await states({ channel: 'Aldermoor One', choice: 'Aldermoor One' });
    });

    it('is reported as offline after it has stopped or was killed', async () => {
      await program.stop();
      await states({ status: 'offline' });
      await start({ url: url(), prefix: prefix() });
      started--;
      await states({ status: 'online' });
      await program.stop('SIGKILL');
      await states({ status: 'offline' });
    });

    it('publishes everything again after the broker was restarted', async () => {
      await broker.stop();
      await program.get('/api/vol?set=set44');
      listener.topics.clear();
      await broker.start();
      await states({ status: 'online', volume: '44', channel: 'Aldermoor One' });
      await until(() => expect([...listener.topics.keys()].join()).toContain('homeassistant/'));
    });
  });

  describe('with a broker with a password, by TLS', () => {
    const login = { username: 'box', password: 'correct horse' };
    let known: string | undefined;

    beforeAll(async () => {
      const { certificate, key } = createSelfSigned('broker', ['127.0.0.1'], systemClock.now());
      const file = (name: string) => join(folder, name);
      mkdirSync(folder, { recursive: true });
      writeFileSync(file('broker.pem'), certificate);
      writeFileSync(file('broker.key'), key);
      spawnSync('mosquitto_passwd', ['-b', '-c', file('passwords'), login.username, login.password]);
      known = process.env.NODE_EXTRA_CA_CERTS;
      process.env.NODE_EXTRA_CA_CERTS = file('broker.pem');
      broker = new Broker(folder, await freePort(), [
        `password_file ${file('passwords')}`,
        `certfile ${file('broker.pem')}`,
        `keyfile ${file('broker.key')}`,
      ]);
      await broker.start();
      listener = await Listener.open(`mqtts://127.0.0.1:${broker.port}`, { ...login, rejectUnauthorized: false });
    });
    afterAll(async () => {
      if (known === undefined) delete process.env.NODE_EXTRA_CA_CERTS;
      else process.env.NODE_EXTRA_CA_CERTS = known;
      await listener.client.endAsync();
      await broker.stop();
    });
    afterEach(() => program.stop());

    const secure = () => `mqtts://127.0.0.1:${broker.port}`;
    const { username: user, password } = login;

    it('logs in; without discovery it announces nothing', async () => {
      await start({ url: secure(), user, password, prefix: 'home/tv', discovery: '' });
      await listener.has({ 'home/tv/status': 'online', 'home/tv/channel': 'Aldermoor One' });
      await listener.client.publishAsync('home/tv/volume/set', '12');
      await listener.has({ 'home/tv/volume': '12' });
      expect([...listener.topics.keys()].filter((topic) => !topic.startsWith('home/tv/'))).toEqual([]);
    });

    it('logs once that the login is refused, and works without MQTT', async () => {
      await start({ url: secure(), user, password: 'wrong' });
      const told = () => program.log.filter(({ msg }) => msg?.includes('MQTT broker'));
      await until(() => expect(told()).toMatchObject([{ level: 40, msg: expect.stringMatching(/[Nn]ot authorized/) }]));
      expect(JSON.stringify(program.log)).not.toContain('wrong');
      expect(await program.json('/api/vol')).toMatchObject({ result: true });
    });
  });

  afterAll(() => removeFolder(folder));
});
