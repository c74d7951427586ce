/** The page at `/`. */
import { render } from 'preact';
import { App } from './app/app.tsx';
import { listen } from './shared/live.ts';
import { startLanguage } from './shared/words.ts';

await startLanguage();
listen();
render(<App />, document.body);
