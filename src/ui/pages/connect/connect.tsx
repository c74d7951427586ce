/** What to enter in an app, so that it finds this receiver: host and ports, playlist and guide, each to copy or to scan. */

import { BouquetButton } from '../../shared/bouquets.tsx';
import { CopyField } from '../../shared/copy-field.tsx';
import { session } from '../../shared/login.ts';
import { receiver } from '../../shared/receiver.ts';
import { change, href, route } from '../../shared/route.ts';
import { Sections } from '../../shared/sections.tsx';
import { useBouquets } from '../../shared/services.ts';
import { useResponse } from '../../shared/use-response.ts';
import { words } from '../../shared/words.ts';
import { type Addresses, addressesOf, hdhomerunOf, listsOf } from './addresses.ts';
import { type AppName, apps, type ConnectedApp, type Step, type Value } from './apps.ts';
import { HdhomerunSwitch } from './hdhomerun-switch.tsx';
import { QrCode } from './qr-code.tsx';
import { type Texts, useTexts } from './texts.ts';

const names = Object.keys(apps) as readonly AppName[];

export default function Connect() {
  const texts = useTexts();
  const { value: addresses } = useResponse(loadAddresses, []);
  const { bouquet, app: wanted } = route.value.query;
  const chosen = names.find((name) => name === wanted) ?? 'browser';
  const sections = names.map((name) => ({
    title: apps[name].name || (texts?.browser ?? ''),
    href: href('connect', { app: name === 'browser' ? undefined : name, bouquet }),
    isCurrent: name === chosen,
  }));
  return (
    <section>
      <div class="page-head">
        <h1>{words.value.app.connect}</h1>
        {texts && <Sections label={texts.apps} of={sections} />}
      </div>
      {texts && addresses && <Guidance key={chosen} app={chosen} {...{ texts, addresses, bouquet }} />}
    </section>
  );
}

async function loadAddresses(signal: AbortSignal): Promise<Addresses> {
  const fetched = async (path: string, options: RequestInit = {}) =>
    await (await fetch(receiver.address(path), { signal, ...options })).text();
  const [playlist, stranger, { ifaces }] = await Promise.all([
    fetched('/web/stream.m3u'),
    fetched('/login', { credentials: 'omit' }),
    receiver.get('/api/deviceinfo', {}, { signal }),
  ]);
  const networkAddress = ifaces.find(({ ip }) => ip)?.ip ?? '';
  return addressesOf({ page: location.href, playlist, networkAddress, stranger: JSON.parse(stranger) });
}

interface GuidanceProps {
  readonly app: AppName;
  readonly texts: Texts;
  readonly addresses: Addresses;
  readonly bouquet: string | undefined;
}

function Guidance({ app, texts, addresses, bouquet }: GuidanceProps) {
  const { name, steps, isEnigma2 = false, isHdhomerun = false }: ConnectedApp = apps[app];
  const hasLists = steps.some(({ values }) => values.includes('playlist'));
  return (
    <section class="connect" aria-label={name || texts.browser}>
      <p>{texts.about[app]}</p>
      {hasLists && <BouquetChoice texts={texts} bouquet={bouquet} />}
      {isHdhomerun && <HdhomerunSwitch texts={texts} />}
      <ol class={steps.length === 1 ? 'single' : ''}>
        {steps.map((step) => (
          <StepCard key={step.menus} {...{ step, texts, addresses, bouquet, isEnigma2, isHdhomerun }} />
        ))}
      </ol>
      <ul class="remarks">
        {remarksOf(app, addresses, texts).map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
    </section>
  );
}

/** What to know about the addresses: an empty list in most homes. */
function remarksOf(app: AppName, addresses: Addresses, texts: Texts): readonly string[] {
  const { isEnigma2 = false, steps }: ConnectedApp = apps[app];
  const hasLists = steps.some(({ values }) => values.includes('playlist') || values.includes('guide'));
  const { isLocal, isOnlyHere, isSecure, hasPath, streamPort, needsLogin, host } = addresses;
  return [
    isLocal && (isOnlyHere ? texts.onlyHere : texts.local(host)),
    isEnigma2 && (hasPath || streamPort === undefined) && texts.needsPorts,
    isEnigma2 && isSecure && texts.secureApp,
    app !== 'browser' && isSecure && texts.certificate,
    needsLogin && isEnigma2 && texts.login,
    needsLogin && hasLists && texts.loginOfLists,
  ].filter((text) => text !== false);
}

/** Which channels the playlist and the guide have. */
function BouquetChoice({ texts, bouquet }: Pick<GuidanceProps, 'texts' | 'bouquet'>) {
  const { value: bouquets = [] } = useBouquets();
  return (
    <p class="line">
      {texts.channels}
      <BouquetButton
        label={texts.channels}
        bouquets={bouquets}
        shown={bouquets.find(({ reference }) => reference === bouquet)}
        any={texts.allChannels}
        onPick={(picked) => change({ bouquet: picked?.reference }, { replace: true })}
      />
    </p>
  );
}

interface StepCardProps extends Omit<GuidanceProps, 'app'> {
  readonly step: Step;
  readonly isEnigma2: boolean;
  readonly isHdhomerun: boolean;
}

function StepCard({ step: { menus, values }, texts, addresses, bouquet, isEnigma2, isHdhomerun }: StepCardProps) {
  const { app } = words.value;
  const lists = isHdhomerun ? hdhomerunOf(addresses) : listsOf(addresses, bouquet);
  const given: Readonly<Partial<Record<Value, string | undefined>>> = { ...addresses, ...lists };
  const shown = values.flatMap((value) => (given[value] === undefined ? [] : [[value, given[value]] as const]));
  return (
    <li class="card">
      {menus && <p class="menus">{menus}</p>}
      {shown.map(([value, text]) => (
        <Entry key={value} label={texts.values[value]} text={text} isAddress={text.includes('://')} texts={texts} />
      ))}
      {isEnigma2 && addresses.needsLogin && session.value?.user && (
        <Entry label={app.user} text={session.value.user} texts={texts} />
      )}
    </li>
  );
}

interface EntryProps {
  readonly label: string;
  readonly text: string;
  /** Whether other devices may want to scan it. */
  readonly isAddress?: boolean;
  readonly texts: Texts;
}

function Entry({ label, text, isAddress = false, texts }: EntryProps) {
  return (
    <div class="value">
      <h2>{label}</h2>
      <div class="copy">
        <CopyField label={label} text={text} isMinor />
      </div>
      {isAddress && <QrCode text={text} label={texts.qrCode(label)} />}
    </div>
  );
}
