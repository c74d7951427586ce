/** The remote control: its keys, the keyboard, volume, power, sleep timer, messages, screenshot. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../fixtures/waits.ts';
import { withResolvers } from '../fixtures/with-resolvers.ts';
import { browser, openTelevision, type Television, untilToast } from './open-page.ts';

interface Status {
  readonly currservice_station: string;
  readonly inStandby: string;
  readonly volume: number;
  readonly muted: boolean;
}

describe.skipIf(!browser)('the remote control', () => {
  let television: Television;

  beforeAll(async () => {
    television = await openTelevision();
  });
  afterAll(() => television?.close());

  /** Waits until the receiver's status matches. */
  const until = (wanted: Partial<Status>) =>
    eventually(async () => {
      const status = await television.program.json<Status>('/api/statusinfo');
      const differs = Object.entries(wanted).some(([name, value]) => status[name as keyof Status] !== value);
      return differs ? undefined : status;
    }, JSON.stringify(wanted));

  it('shows the keys and everything else', async () => {
    const { page, checkScreens } = await television.open('#/remote');
    await page.getByRole('button', { name: 'Digit 5' }).waitFor();
    await page.getByText('The receiver is on.').waitFor();
    await page.getByRole('img', { name: /Screenshot at/ }).waitFor();
    await checkScreens('remote');
  });

  it('zaps with its keys and with the keyboard', async () => {
    const { page, complaints } = await television.open('#/remote');
    await page.getByRole('button', { name: 'Digit 2' }).click();
    await page.getByRole('button', { name: 'OK', exact: true }).click();
    await until({ currservice_station: 'Talblick 24' });
    await page.getByRole('heading', { name: 'Volume' }).click();
    await page.keyboard.press('1');
    await page.keyboard.press('Enter');
    await until({ currservice_station: 'Aldermoor One' });
    await page.keyboard.press('PageUp');
    await until({ currservice_station: 'Talblick 24' });
    expect(complaints()).toEqual([]);
  });

  it('sends keys one after the other, because requests at the same time may arrive in another order', async () => {
    const { page } = await television.open('#/remote');
    await page.getByRole('button', { name: 'Digit 2' }).waitFor();
    await page.evaluate(`const { fetch } = globalThis;
      globalThis.sent = [];
      const released = new Promise((done) => { globalThis.release = done; });
      globalThis.fetch = async (address, options) => {
        if (!String(address).includes('remotecontrol')) return fetch(address, options);
        sent.push(String(options.body));
        await released;
        return fetch(address, options);
      }`);
    await page.keyboard.press('2');
    await page.keyboard.press('Enter');
    await eventually(async () => (await page.evaluate('sent.length > 0')) || undefined, 'the first key');
    expect(await page.evaluate('sent.length')).toBe(1);
    await page.evaluate('release()');
    await until({ currservice_station: 'Talblick 24' });
  });

  it('ignores the keyboard in a field, and when turned off', async () => {
    const { page } = await television.open('#/remote');
    await page.request.post(`${television.program.http}/api/vol?set=set40`);
    await page.getByRole('textbox', { name: 'Text' }).pressSequentially('m-m');
    await page.getByRole('checkbox', { name: 'Use the keyboard' }).uncheck();
    await page.getByRole('heading', { name: 'Volume' }).click();
    await page.keyboard.press('m');
    await page.getByRole('checkbox', { name: 'Use the keyboard' }).check();
    await page.getByRole('heading', { name: 'Volume' }).click();
    await page.keyboard.press('-');
    const { volume, muted } = await until({ volume: 35 });
    expect([volume, muted]).toEqual([35, false]);
  });

  it('changes the volume with the slider, and mutes', async () => {
    const { page } = await television.open('#/remote');
    const slider = page.getByRole('slider', { name: 'Volume' });
    await slider.fill('70');
    await until({ volume: 70 });
    await page.locator('.volume-line').getByRole('button', { name: 'Mute' }).click();
    await until({ muted: true });
    await page.getByText('muted', { exact: true }).waitFor();
    await page.locator('.volume-line').getByRole('button', { name: 'Mute' }).click();
    await until({ muted: false });
  });

  it('asks for the volume only after it has been set, because requests at the same time may arrive in another order', async () => {
    const { page } = await television.open('#/remote');
    await page.request.post(`${television.program.http}/api/vol?set=set40`);
    await page.locator('.volume-line').getByText('40', { exact: true }).waitFor();
    await page.evaluate(`const { fetch } = globalThis;
      globalThis.sent = [];
      const released = new Promise((done) => { globalThis.release = done; });
      globalThis.fetch = async (address, options) => {
        if (!String(address).endsWith('/api/vol')) return fetch(address, options);
        sent.push(options.method);
        if (options.method === 'POST') await released;
        return fetch(address, options);
      }`);
    const slider = page.getByRole('slider', { name: 'Volume' });
    await slider.fill('60');
    expect(await page.evaluate('sent')).toEqual(['POST']);
    await page.evaluate('release()');
    await until({ volume: 60 });
    expect(await slider.inputValue()).toBe('60');
  });

  it('switches to standby and back, and reports that shutting down is not allowed', async () => {
    const { page, check } = await television.open('#/remote');
    await page.getByRole('button', { name: 'Standby', exact: true }).click();
    await page.getByText('The receiver is in standby.').waitFor();
    await until({ inStandby: 'true' });
    await page.getByRole('button', { name: 'Wake up' }).click();
    await until({ inStandby: 'false' });
    await page.getByRole('button', { name: 'Deep standby' }).click();
    const question = page.getByRole('dialog');
    await question.getByText('Recordings and streams stop.').waitFor();
    await check('deep standby');
    await question.getByRole('button', { name: 'Deep standby' }).click();
    await page.getByText('power.shutdown').waitFor();
  });

  it('sets the sleep timer and turns it off', async () => {
    const { page } = await television.open('#/remote');
    await page.getByLabel('After').selectOption('90');
    await page.getByRole('button', { name: 'Set', exact: true }).click();
    await page.getByText(/^Standby in 1 h/).waitFor();
    await page.getByRole('button', { name: 'Turn off' }).click();
    await page.getByRole('button', { name: 'Turn off' }).waitFor({ state: 'detached' });
    expect(await television.program.json('/api/sleeptimer')).toMatchObject({ enabled: false });
  });

  it('keeps a message that is typed while the one before is being sent', async () => {
    const { page } = await television.open('#/remote');
    const { promise: released, resolve: release } = withResolvers();
    await page.route('**/api/message', async (route) => {
      await released;
      await route.continue();
    });
    const text = page.getByRole('textbox', { name: 'Text' });
    await text.fill('Dinner is ready');
    await page.getByLabel('Show for').selectOption({ label: '10 s' });
    const sending = page.waitForRequest('**/api/message');
    await page.getByRole('button', { name: 'Send' }).click();
    await sending;
    await text.fill('Now!');
    release();
    await untilToast(page, 'Message sent');
    expect(await text.inputValue()).toBe('Now!');
  });

  it('asks a question on the screen, and shows the answer', async () => {
    const { page } = await television.open('#/remote');
    await page.getByRole('textbox', { name: 'Text' }).fill('Is dinner ready?');
    await page.getByLabel('Type').selectOption({ label: 'Question' });
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByRole('alertdialog').getByText('Is dinner ready?').waitFor();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Yes' }).click();
    await page.getByText('Answer to the last question: Yes').waitFor();
    expect(await page.getByRole('textbox', { name: 'Text' }).inputValue()).toBe('');
    // The type of the previous message is still selected.
    await page.getByRole('textbox', { name: 'Text' }).fill('Sure?');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByRole('alertdialog').getByText('Sure?').waitFor();
    await page.getByRole('alertdialog').getByRole('button', { name: 'No' }).click();
    await page.getByText('Answer to the last question: No').waitFor();
  });
});
