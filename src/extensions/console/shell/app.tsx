import { useSignal } from '@preact/signals';
import type { ComponentType, JSX } from 'preact';
import { useEffect, useErrorBoundary, useRef } from 'preact/hooks';
import { settings } from '../gateway/settings.ts';
import { Button, Empty, Failure, Notice } from '../ui/basic.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Field, Select } from '../ui/field.tsx';
import { Page } from '../ui/page.tsx';
import { visibleLine } from '../ui/visible.ts';
import { fault, outdated } from './connection.ts';
import { asOf, notReached } from './facts.ts';
import { Navigation } from './navigation.tsx';
import { type ConsolePage, pages } from './pages.ts';
import { route } from './router.ts';
import {
  type Credential,
  callerKey,
  refusal,
  reportRefusal,
  seesOwnOnly,
  signIn,
  signInAtProvider,
  signingIn,
} from './session.ts';
import { StatusLine } from './status.tsx';

/** The whole console: navigation, banners, and the page of the address. */
export function App(): JSX.Element {
  const id = route.value.page || (seesOwnOnly() ? 'inbox' : 'agents');
  const page = pages.find((one) => one.id === id);
  const main = useRef<HTMLElement>(null);
  const before = useRef(id);
  useEffect(() => {
    // A new page begins at its top, and is read from its start.
    if (before.current !== id) {
      before.current = id;
      main.current?.focus();
      scrollTo(0, 0);
      asOf.value = 0;
    }
  }, [id]);
  return (
    <div class="shell">
      <button type="button" class="skip" onClick={() => main.current?.focus()}>
        Skip to the content
      </button>
      <Navigation page={id} />
      <main class="main" id="main" ref={main} tabIndex={-1}>
        <Banners />
        {page ? <Loaded key={`${id} ${callerKey.value}`} page={page} /> : <Unknown />}
        <StatusLine />
      </main>
      <SignIn />
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
      {fault.value && <Notice severity="warning">{fault.value.message}. Trying again…</Notice>}
      {notReached.value.length > 0 && (
        <Notice severity="warning" action={<Button onClick={() => (notReached.value = [])}>Close</Button>}>
          Other gateways were not reached: {visibleLine(notReached.value.join('; '), 500)}
        </Notice>
      )}
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
        loaded.value = module.default;
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
    <Page title={page.title} of={{ busy: failure.value === undefined }}>
      <Failure error={failure.value} about="The page could not be loaded" onRetry={load} />
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

const kinds = [
  { value: 'apiKey', label: 'API key' },
  { value: 'bearer', label: 'Bearer token' },
] as const;

/** The dialog for a credential, with the gateway's reason. */
function SignIn(): JSX.Element {
  const { apiKeyHeader, bearer = true, madeKey, signIn: provider } = settings.value ?? {};
  const possible = kinds.filter(({ value }) => (value === 'bearer' ? bearer : apiKeyHeader !== undefined));
  const options = possible.length === 0 ? kinds : possible;
  const chosen = useSignal<Credential['kind'] | undefined>(undefined);
  const value = useSignal('');
  const kind = chosen.value ?? options[0]?.value ?? 'apiKey';
  const reason = refusal.value;
  const close = (): void => {
    value.value = '';
    signingIn.value = false;
  };
  const submit = (event: Event): void => {
    event.preventDefault();
    const text = value.value.trim();
    if (text === '') return;
    value.value = '';
    void signIn({ kind, value: text });
  };
  return (
    <Dialog title="Sign in" open={signingIn.value} onClose={close}>
      <form onSubmit={submit} class="stack">
        {reason && <Notice severity="warning">{reason.message}</Notice>}
        {provider && (
          <p>
            <Button kind="primary" onClick={() => void signInAtProvider().catch(reportRefusal)}>
              Sign in at {provider}
            </Button>
          </p>
        )}
        {madeKey && (
          <p>
            The gateway makes a new key at each start. Open the address of the console that it printed, or enter the key
            in it.
          </p>
        )}
        {options.length > 1 && (
          <Select
            label="Kind of credential"
            value={kind}
            options={options}
            onChange={(next) => (chosen.value = next as Credential['kind'])}
          />
        )}
        <Field
          label={kind === 'bearer' ? 'Bearer token' : 'API key'}
          type="password"
          value={value.value}
          onInput={(text) => (value.value = text)}
          mono
          autofocus
          hint="Sent once: this browser then has a session, and the key is not kept. The console shows what the scopes admin, admin:read and questions allow."
        />
        <div class="row-end">
          <Button onClick={close}>Cancel</Button>
          <Button kind="primary" type="submit" disabled={value.value.trim() === ''}>
            Sign in
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
