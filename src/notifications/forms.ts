/** The requests by which webhooks and messaging services get a notice. */
import { createHash } from 'node:crypto';
import { urlOf } from '../base/url.ts';
import type { Configuration } from '../config/config.ts';
import type { Notice } from '../events/notice.ts';
import type { WebContent } from '../iptv/web.ts';

type Rules = Configuration['notifications'];

export interface NoticeRequest extends WebContent {
  readonly url: string;
}

/** Where notices go, and in which form. */
export interface Target {
  /** Kind and host, without secrets. */
  readonly name: string;
  /** Hash of kind and address. */
  readonly id: string;
  readonly requestOf: (notice: Notice) => NoticeRequest;
}

const pushoverUrl = 'https://api.pushover.net/1/messages.json';
const json = (url: string, content: unknown, headers: Readonly<Record<string, string>> = {}): NoticeRequest => ({
  url,
  type: 'application/json',
  body: JSON.stringify(content),
  headers,
});

/** The targets of the settings. */
export function targetsOf({ webhooks, service, url: given, token, user }: Rules): readonly Target[] {
  const hooks = [...new Set(webhooks)].map((url) => targetOf('webhook', url, (notice) => json(url, notice)));
  const url = given || (service === 'pushover' ? pushoverUrl : '');
  if (service === 'none' || url === '') return hooks;
  const form = forms[service];
  return [...hooks, targetOf(service, url, (notice) => form(url, { token, user }, notice))];
}

const targetOf = (kind: string, url: string, requestOf: Target['requestOf']): Target => ({
  name: `${kind} ${urlOf(url)?.host ?? ''}`.trim(),
  id: createHash('sha256').update(`${kind} ${url}`).digest('base64url'),
  requestOf,
});

type Keys = Pick<Rules, 'token' | 'user'>;
type Form = (url: string, keys: Keys, notice: Notice) => NoticeRequest;

const forms: Readonly<Record<Exclude<Rules['service'], 'none'>, Form>> = {
  /** docs.ntfy.sh/publish, "Publish as JSON": the topic is in the content, and the address is that of the server. */
  ntfy(url, { token }, notice) {
    const address = new URL(url);
    const folders = address.pathname.split('/').filter(Boolean);
    const topic = folders.pop() ?? '';
    address.pathname = `/${folders.join('/')}`;
    const content = {
      topic: decoded(topic),
      ...textsOf(notice),
      tags: [isBad(notice) ? 'warning' : 'tv'],
      priority: isBad(notice) ? 4 : 3,
    };
    return json(address.href, content, token === '' ? {} : { authorization: `Bearer ${token}` });
  },

  /** gotify.net/docs/pushmsg */
  gotify(url, { token }, notice) {
    const address = new URL(url);
    if (!address.pathname.endsWith('/message')) address.pathname = `${address.pathname.replace(/\/$/, '')}/message`;
    const content = { ...textsOf(notice), priority: isBad(notice) ? 8 : 4 };
    return json(address.href, content, token === '' ? {} : { 'x-gotify-key': token });
  },

  /** pushover.net/api */
  pushover(url, { token, user }, notice) {
    const fields = {
      token,
      user,
      ...textsOf(notice),
      priority: isBad(notice) ? '1' : '0',
      timestamp: `${notice.time}`,
    };
    return {
      url,
      type: 'application/x-www-form-urlencoded',
      body: new URLSearchParams(fields).toString(),
      headers: {},
    };
  },

  /** The API of Apprise: POST to /notify/KEY. */
  apprise(url, { token }, notice) {
    const { title, message: body } = textsOf(notice);
    const content = { title, body, type: isBad(notice) ? 'failure' : 'info' };
    return json(url, content, token === '' ? {} : { authorization: `Bearer ${token}` });
  },
};

const isBad = ({ event }: Notice) => event === 'recordingFailed' || event === 'conflict';

/** Limits of Pushover, the narrowest, in characters. */
const textsOf = ({ receiver, message }: Notice) => ({
  title: receiver.slice(0, 250),
  message: message.slice(0, 1024),
});

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
