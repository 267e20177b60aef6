import { useSignal, useSignalEffect } from '@preact/signals';
import type { JSX } from 'preact';
import { settings } from '../gateway/settings.ts';
import { Button } from '../ui/basic.tsx';
import { Icon } from '../ui/icon.tsx';
import { counts } from './counts.ts';
import { pages } from './pages.ts';
import { route } from './router.ts';
import { credential, signingIn, signOut } from './session.ts';
import { listShortcuts } from './shortcuts.tsx';
import { nextTheme, theme } from './theme.ts';

const groups = [...new Set(pages.map(({ group }) => group))];

/** The list of pages, and what is true of the whole console. On narrow screens it opens with a button. */
export function Navigation({ page }: { readonly page: string }): JSX.Element {
  const open = useSignal(false);
  useSignalEffect(() => {
    void route.value;
    open.value = false;
  });
  return (
    <header class="side" data-open={open.value}>
      <div class="brand">
        <a class="brand-name" href="#/agents">
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
      <div class="side-body" id="navigation">
        <nav class="pages" aria-label="Pages">
          {groups.map((group) => (
            <div key={group} class="pages-group">
              <p class="pages-title" id={`group-${group}`}>
                {group}
              </p>
              <ul aria-labelledby={`group-${group}`}>
                {pages
                  .filter((one) => one.group === group)
                  .map(({ id, title }) => (
                    <li key={id}>
                      <a href={`#/${id}`} aria-current={id === page ? 'page' : undefined}>
                        <Icon name={id} />
                        {title}
                        <Count page={id} />
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

function Count({ page }: { readonly page: string }): JSX.Element | null {
  const count = counts.value[page] ?? 0;
  if (count === 0) return null;
  return (
    <span class="count">
      {count > 999 ? '999+' : count}
      <span class="visually-hidden"> waiting</span>
    </span>
  );
}

function Foot(): JSX.Element {
  return (
    <div class="side-foot">
      {credential.value ? (
        <Button kind="quiet" icon="key" onClick={signOut}>
          Sign out
        </Button>
      ) : (
        <Button kind="quiet" icon="key" onClick={() => (signingIn.value = true)}>
          Sign in
        </Button>
      )}
      <Button kind="quiet" icon="sun" onClick={nextTheme}>
        {{ system: 'System', light: 'Light', dark: 'Dark' }[theme.value]}
        <span class="visually-hidden"> theme: change</span>
      </Button>
      <p class="side-version">
        <span>{settings.value ? `v${settings.value.version}` : ''}</span>
        <button type="button" class="link" onClick={listShortcuts}>
          Keyboard
        </button>
      </p>
    </div>
  );
}
