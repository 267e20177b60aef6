import { signal, useSignal, useSignalEffect } from '@preact/signals';
import type { JSX } from 'preact';
import { Button, Time } from '../ui/basic.tsx';
import { Icon } from '../ui/icon.tsx';
import { visibleLine } from '../ui/visible.ts';
import { waiting } from './connection.ts';
import { status } from './facts.ts';
import { pages } from './pages.ts';
import { route } from './router.ts';
import { Search } from './search.tsx';
import { caller, reportRefusal, seesOwnOnly, signingIn, signOut } from './session.ts';

/** `system` follows the system's setting. */
type Theme = 'system' | 'light' | 'dark';

const storageKey = 'a2a-gateway.theme';

const stored = localStorage.getItem(storageKey);

/** The theme of the console, stored in this browser. */
const theme = signal<Theme>(stored === 'light' || stored === 'dark' ? stored : 'system');

theme.subscribe((value) => {
  if (value === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = value;
});

/** Switches the theme: system, then light, then dark. */
function nextTheme(): void {
  const next = { system: 'light', light: 'dark', dark: 'system' } as const;
  theme.value = next[theme.peek()];
  localStorage.setItem(storageKey, theme.value);
}

const groups = [...new Set(pages.map(({ group }) => group))];

/** The list of pages, and facts about the whole console. On narrow screens it opens with a button. */
export function Navigation({ page }: { readonly page: string }): JSX.Element {
  const open = useSignal(false);
  useSignalEffect(() => {
    void route.value;
    open.value = false;
  });
  return (
    <header class="side" data-open={open.value}>
      <div class="brand">
        <a class="brand-name" href="#/">
          <svg width="20" height="20" viewBox="0 0 32 32" aria-hidden="true">
            <path class="brand-mark" d="M4 8h5c5 0 4 8 9 8h10M4 16h24M4 24h5c5 0 4-8 9-8" />
          </svg>
          a2a-gateway
        </a>
        <button
          type="button"
          class="button button-quiet menu-button"
          aria-expanded={open.value}
          aria-controls="navigation"
          onClick={() => (open.value = !open.value)}
        >
          <Icon name={open.value ? 'close' : 'menu'} />
          Menu
        </button>
      </div>
      <Search />
      <div class="side-body" id="navigation">
        <nav class="pages" aria-label="Pages">
          {groups.map((group) => (
            <div key={group} class="pages-group">
              <p class="pages-title" id={`group-${group}`}>
                {group}
              </p>
              <ul aria-labelledby={`group-${group}`}>
                {pages
                  .filter(({ id }) => !seesOwnOnly() || id === 'inbox' || id === page)
                  .filter((one) => one.group === group && (!one.needs || status.value?.[one.needs] || one.id === page))
                  .map(({ id, title }) => (
                    <li key={id}>
                      <a href={`#/${id}`} aria-current={id === page ? 'page' : undefined}>
                        <Icon name={id} />
                        {title}
                        {id === 'inbox' && <Waiting />}
                      </a>
                    </li>
                  ))}
              </ul>
            </div>
          ))}
        </nav>
        <Foot />
      </div>
    </header>
  );
}

function Waiting(): JSX.Element | null {
  if (waiting.value === '') return null;
  return (
    <span class="count">
      {waiting}
      <span class="visually-hidden"> waiting</span>
    </span>
  );
}

function Foot(): JSX.Element {
  const hasSession = caller.value?.session !== undefined;
  const leave = (): void => void signOut().catch(reportRefusal);
  return (
    <div class="side-foot">
      <Who />
      <Button kind="quiet" icon="key" onClick={hasSession ? leave : () => (signingIn.value = true)}>
        {hasSession ? 'Sign out' : 'Sign in'}
      </Button>
      <Button kind="quiet" icon="sun" onClick={nextTheme}>
        {{ system: 'System', light: 'Light', dark: 'Dark' }[theme.value]} theme
      </Button>
    </div>
  );
}

/** The signed-in caller, with its scopes. */
function Who(): JSX.Element | null {
  const { principal, scopes = [], agents, tenants, session } = caller.value ?? {};
  if (principal === undefined) return null;
  const limits = [...(agents ? ['some agents'] : []), ...(tenants ? ['some tenants'] : [])];
  return (
    <p class="side-who">
      <strong>{visibleLine(principal)}</strong>
      {visibleLine(scopes.join(', ')) || 'no scopes'}
      {limits.length > 0 && `, ${limits.join(' and ')} only`}
      {session && (
        <>
          ; session ends <Time at={session.until} />
        </>
      )}
    </p>
  );
}
