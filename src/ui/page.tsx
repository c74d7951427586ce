/** Entry point of the web page, served at `/` or below the path of a reverse proxy. */
import { render } from 'preact';
import { App } from './app/app.tsx';
import { Messages } from './app/messages.tsx';
import { Toast } from './app/toast.tsx';
import { above } from './shared/above.ts';
import { listen } from './shared/live.ts';
import { startLanguage } from './shared/words.ts';

await startLanguage();
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
