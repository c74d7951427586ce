/** `/current_event`: the present event of the current service and of any other. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { currentService, demoOne, demoRadio, demoTwo, noon, now, type TestReceiver, testReceiver } from './receiver.ts';

let receiver: TestReceiver;
beforeAll(async () => {
  receiver = await testReceiver();
});
afterAll(() => receiver.close());
afterEach(() => receiver.play(undefined));

const news = { id: 4660, start_time: noon, duration: 900, title: 'News', shortinfo: 'Short text', longinfo: '' };
const weather = {
  id: 4661,
  start_time: noon + 900,
  duration: 1800,
  title: 'Weather café',
  shortinfo: '',
  longinfo: 'Sun über Köln',
};

describe('/current_event', () => {
  test('returns the present event of the current service', async () => {
    receiver.play(currentService(demoOne, 'Demo One'));
    for (const url of ['/current_event', '/current_event/']) {
      const response = await receiver.app.inject(url);
      expect(response.statusCode).toBe(200);
      expect(response.headers['cache-control']).toBe('no-store');
      expect(response.json()).toEqual({
        ...news,
        service_reference: demoOne,
        service_name: 'Demo One',
        path: null,
        current_time: now,
        remaining: 600,
        next: weather,
      });
    }
  });

  test('returns 503 with Retry-After if nothing is playing', async () => {
    const response = await receiver.app.inject('/current_event');
    expect(response.statusCode).toBe(503);
    expect(response.headers['retry-after']).toBe('30');
    expect(response.body).toBe(
      '{"result":false,"message":"nothing is playing","error":"not-playing","_request":{"path":"/current_event","method":"GET"}}',
    );
  });

  test.each([
    demoOne,
    demoOne.slice(0, -1),
    demoOne.replaceAll(':', '_'),
    demoOne.slice(0, -1).replaceAll(':', '-'),
    encodeURIComponent(demoOne),
    `${encodeURIComponent(`${demoOne}:A name`)}`,
    `${demoOne}/`,
    `${demoOne}/0`,
    `${demoOne}/0/`,
  ])('returns the present event of any service: %s', async (segment) => {
    const response = await receiver.app.inject(`/current_event/${segment}`);
    expect(response.statusCode).toBe(200);
    expect(response.json()).toMatchObject({ ...news, service_reference: demoOne, next: weather });
  });

  test.each([demoTwo, demoRadio])('returns 503 if the service has no present event: %s', async (reference) => {
    const response = await receiver.app.inject(`/current_event/${reference}`);
    expect(response.statusCode).toBe(503);
    expect(response.headers['retry-after']).toBe('30');
    expect(response.json()).toMatchObject({ result: false, error: 'no-event', service_reference: reference });
  });

  test.each([
    ['/current_event/nonsense', 400, 'invalid-reference'],
    ['/current_event/1:0:19', 400, 'invalid-reference'],
    ['/current_event//0', 400, 'bad-path'],
    [`/current_event/${demoOne}/x`, 400, 'bad-path'],
    [`/current_event/${demoOne}/1`, 404, 'not-found'],
    [`/current_event/${demoOne}/0/more`, 404, 'not-found'],
  ])('answers %s with status %i', async (url, status, error) => {
    const response = await receiver.app.inject(url);
    expect(response.statusCode).toBe(status);
    expect(response.json()).toEqual({
      result: false,
      message: expect.any(String),
      error,
      _request: { path: url, method: 'GET' },
    });
  });
});
