/** The console: starts the shell. */
import { render } from 'preact';
import './styles/tokens.css';
import './styles/base.css';
import './styles/ui.css';
import './styles/shell.css';
import { readSettings, settings } from './gateway/settings.ts';
import { App } from './shell/app.tsx';
import { watchConnection } from './shell/connection.ts';
import { fetchFile } from './shell/fetch-file.ts';
import { fetchPartsWith } from './shell/load-part.ts';
import { openSession } from './shell/session.ts';

/** Checks URLs of scripts: the only ones allowed are the console's own workers, which the build writes to `assets`. */
const scriptUrl = (url: string): string => {
  if (new URL(url, location.href).href.startsWith(new URL('./assets/', location.href).href)) return url;
  throw new TypeError(`not a script of the console: ${url}`);
};

interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL: (url: string) => string }): void;
}

(globalThis as { trustedTypes?: TrustedTypes }).trustedTypes?.createPolicy('default', { createScriptURL: scriptUrl });

fetchPartsWith(fetchFile);

const place = document.getElementById('console');
if (place) {
  // The settings name the header for keys, so they come first. Without them the console shows the fault.
  settings.value = await readSettings().catch(() => undefined);
  await openSession();
  watchConnection();
  render(<App />, place);
  // Apart from the first load, since its data can wait.
  void import('./shell/watch.ts').then(({ watchGateway }) => watchGateway());
}
