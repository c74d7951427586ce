/** Entry point of the web page, served at `/` or below the path of a reverse proxy. */
import { render } from 'preact';
import { App, loadFirstPage } from './app/app.tsx';
import { Messages } from './app/messages.tsx';
import { Toast } from './app/toast.tsx';
import { above } from './shared/above.ts';
import { listen } from './shared/live.ts';
import { startLanguage } from './shared/words.ts';

// No await at the top level: the modules of the pages import this one.
async function start(): Promise<void> {
  // A page that cannot be loaded says so later.
  await Promise.all([startLanguage(), loadFirstPage().catch(() => undefined)]);
  // Before the requests of the page, so that their responses need not be loaded again once the stream is open.
  listen();
  // Undefined over plain HTTP, except on localhost.
  void navigator.serviceWorker?.register('ui/service-worker.js', { scope: './' }).catch(console.error);
  render(<App />, document.body);
  render(
    <>
      <Messages />
      <Toast />
    </>,
    above,
  );
}

void start();
