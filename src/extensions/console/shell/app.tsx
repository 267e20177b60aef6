import { useSignal } from '@preact/signals';
import type { ComponentType, JSX } from 'preact';
import { useEffect, useErrorBoundary, useRef } from 'preact/hooks';
import { Button, Empty, Failure, Notice } from '../ui/basic.tsx';
import { Page } from '../ui/page.tsx';
import { connection, outdated } from './connection.ts';
import { Navigation } from './navigation.tsx';
import { type ConsolePage, pages } from './pages.ts';
import { route } from './router.ts';
import { credential } from './session.ts';
import { Shortcuts } from './shortcuts.tsx';
import { SignIn } from './sign-in.tsx';

/** The whole console: navigation, banners, and the page of the address. */
export function App(): JSX.Element {
  const id = route.value.page || 'agents';
  const page = pages.find((one) => one.id === id);
  const main = useRef<HTMLElement>(null);
  const before = useRef(id);
  useEffect(() => {
    // A new page begins at its top, and is read from its start.
    if (before.current !== id) {
      before.current = id;
      main.current?.focus();
      scrollTo(0, 0);
    }
  }, [id]);
  const who = credential.value;
  return (
    <div class="shell">
      <button type="button" class="skip" onClick={() => main.current?.focus()}>
        Skip to the content
      </button>
      <Navigation page={id} />
      <main class="main" id="main" ref={main} tabIndex={-1}>
        <Banners />
        {page ? <Loaded key={`${id} ${who?.kind} ${who?.value}`} page={page} /> : <Unknown />}
      </main>
      <SignIn />
      <Shortcuts />
    </div>
  );
}

function Banners(): JSX.Element {
  return (
    <div class="banners" aria-live="polite">
      {outdated.value && (
        <Notice
          severity="warning"
          action={
            <Button kind="primary" onClick={() => location.reload()}>
              Reload
            </Button>
          }
        >
          The gateway was updated: reload this page.
        </Notice>
      )}
      {connection.value === 'lost' && <Notice severity="warning">Connection lost. Trying again…</Notice>}
    </div>
  );
}

/** A page, whose code may have to be loaded. The key of this component ends everything when another caller signs in. */
function Loaded({ page }: { readonly page: ConsolePage }): JSX.Element {
  const loaded = useSignal<ComponentType | undefined>(undefined);
  const failure = useSignal<unknown>(undefined);
  const [thrown, reset] = useErrorBoundary();
  const load = (): void => {
    failure.value = undefined;
    page.load().then(
      (module) => {
        loaded.value = module?.default;
      },
      (error: unknown) => {
        failure.value = error;
      },
    );
  };
  // Once: the component is a new one for another page.
  useEffect(load, []);
  if (thrown !== undefined) {
    return (
      <Page title={page.title}>
        <Failure error={thrown} about="This page failed" onRetry={reset} />
      </Page>
    );
  }
  const Content = loaded.value;
  if (Content) return <Content />;
  return (
    <Page title={page.title} busy={failure.value === undefined}>
      {failure.value !== undefined && (
        <Notice severity="error" action={<Button onClick={load}>Try again</Button>}>
          The page could not be loaded.
        </Notice>
      )}
    </Page>
  );
}

const Unknown = (): JSX.Element => (
  <Page title="Not found">
    <Empty title="The console has no such page">
      <a href="#/agents">Go to the agents</a>
    </Empty>
  </Page>
);
