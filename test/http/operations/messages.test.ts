/** Messages on the screen: showing them, listing them, answering and closing them. */
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { openReceiver, type TestReceiver } from '../receiver.ts';
import { api, get, leaves, web } from '../reply.ts';

let receiver: TestReceiver;
beforeAll(async () => {
  receiver = await openReceiver();
});
afterAll(() => receiver.close());
beforeEach(() => {
  const { messages } = receiver.parts.device;
  for (const { id } of messages.open) messages.close(id);
});

const open = () => receiver.parts.device.messages.open;
const post = (path: string, payload = '', type = 'application/x-www-form-urlencoded') =>
  get(receiver, path, {}, { method: 'POST', headers: { 'content-type': type }, payload });

it('shows a message', async () => {
  const answer = await web(receiver, 'message', { text: 'Dinner & tea', type: 2, timeout: 10 });
  expect(answer.name).toBe('e2simplexmlresult');
  expect(leaves(answer)).toEqual([
    ['e2state', 'True'],
    ['e2statetext', 'Message sent successfully!'],
  ]);
  expect(open()).toMatchObject([{ kind: 'warning', text: 'Dinner & tea', timeout: 10 }]);
});

it.each([
  ['0', 'question'],
  ['1', 'information'],
  ['2', 'warning'],
  ['3', 'error'],
  ['4', 'information'],
  ['-1', 'information'],
])('type %s is %s', async (type, kind) => {
  await api(receiver, 'message', { text: 'x', type });
  expect(open()).toMatchObject([{ kind, timeout: undefined }]);
});

it.each([
  [{ text: 'x', type: 'loud' }, 'type loud is not a number'],
  [{ text: 'x' }, "Missing mandatory parameter 'type'"],
  [{ text: '', type: 1 }, "The parameter 'text' can't be empty"],
  [{ type: 1 }, "Missing mandatory parameter 'text'"],
])('refuses %j', async (parameters, message) => {
  expect(await api(receiver, 'message', parameters)).toEqual({ result: false, message, error: expect.any(String) });
  expect(open()).toEqual([]);
});

it('returns the answer to the last question in the wording that clients compare', async () => {
  const none = { result: false, message: 'No answer in time', error: 'no-answer' };
  expect(await api(receiver, 'messageanswer', { getanswer: 'now' })).toEqual(none);
  for (const [answer, message] of [
    ['yes', 'Answer is YES!'],
    ['no', 'Answer is NO!'],
  ]) {
    await api(receiver, 'message', { text: 'Tea?', type: 0 });
    expect(await api(receiver, 'messageanswer')).toEqual(none);
    const id = open()[0]?.id;
    expect(await post(`/api/messages/${id}`, `answer=${answer}`)).toMatchObject({ status: 200 });
    expect(await api(receiver, 'messageanswer')).toEqual({ result: true, message });
    expect(leaves(await web(receiver, 'messageanswer'))).toEqual([
      ['e2state', 'True'],
      ['e2statetext', message],
    ]);
  }
});

it('lists the open messages', async () => {
  await api(receiver, 'message', { text: 'first', type: 1 });
  await api(receiver, 'message', { text: 'second', type: 3, timeout: 60 });
  const { body } = await get(receiver, '/api/messages');
  const [first, second] = open();
  const since = receiver.parts.clock.now();
  expect(JSON.parse(body)).toEqual({
    result: true,
    messages: [
      { id: first?.id, kind: 'information', text: 'first', timeout: 0, since },
      { id: second?.id, kind: 'error', text: 'second', timeout: 60, since },
    ],
  });
});

it('a message is closed and answered by a form, JSON or the URL', async () => {
  const { messages } = receiver.parts.device;
  const ask = () => messages.show('question', 'Tea?').id;
  expect((await post(`/api/messages/${ask()}`)).status).toBe(200);
  expect(messages.answer).toBeUndefined();
  await post(`/api/messages/${ask()}`, '{"answer":"yes"}', 'application/json');
  expect(messages.answer).toBe('yes');
  await post(`/api/messages/${ask()}/?answer=no`, 'answer=yes');
  expect(messages.answer).toBe('no');
  expect(open()).toEqual([]);
});

it('refuses invalid answers', async () => {
  const { id } = receiver.parts.device.messages.show('question', 'Tea?');
  const wrong = await post(`/api/messages/${id}`, 'answer=perhaps');
  expect([wrong.status, JSON.parse(wrong.body)]).toMatchObject([400, { error: 'parameter-invalid' }]);
  const gone = await post('/api/messages/0', 'answer=yes');
  expect([gone.status, JSON.parse(gone.body)]).toMatchObject([
    404,
    { error: 'not-found', message: 'message 0 not found' },
  ]);
  expect((await post('/api/messages/first')).status).toBe(400);
  expect((await get(receiver, `/api/messages/${id}`)).status).toBe(405);
  const foreign = { 'sec-fetch-site': 'cross-site' };
  expect((await get(receiver, `/api/messages/${id}`, {}, { method: 'POST', headers: foreign })).status).toBe(403);
  expect(open()).toHaveLength(1);
});
