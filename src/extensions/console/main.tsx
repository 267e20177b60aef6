/** The console: starts the shell. */
import { render } from 'preact';
import './styles/tokens.css';
import './styles/base.css';
import './styles/ui.css';
import './styles/shell.css';
import { readSettings, settings } from './gateway/settings.ts';
import { App } from './shell/app.tsx';
import { watchConnection } from './shell/connection.ts';
import { openSession } from './shell/session.ts';

/** The only URLs that may become scripts are those of the console's own workers, which the build writes to `assets`. */
const scriptUrl = (url: string): string => {
  if (new URL(url, location.href).href.startsWith(new URL('./assets/', location.href).href)) return url;
  throw new TypeError(`not a script of the console: ${url}`);
};

interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL: (url: string) => string }): void;
}

(globalThis as { trustedTypes?: TrustedTypes }).trustedTypes?.createPolicy('default', { createScriptURL: scriptUrl });

const place = document.getElementById('console');
if (place) {
  // Which header carries a key is in the settings, so they come first. Without them the console says what is wrong.
  settings.value = await readSettings().catch(() => undefined);
  await openSession();
  watchConnection();
  render(<App />, place);
  // Apart from the first load: what it reads can wait.
  void import('./shell/watch.ts').then(({ watchGateway }) => watchGateway());
}
