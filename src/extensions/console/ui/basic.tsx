import { signal } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';
import { messageOf } from '../gateway/error.ts';
import { bytes, clock, relative, words } from './format.ts';
import { Icon, type IconName } from './icon.tsx';
import { Text } from './text.tsx';

export interface ButtonProps {
  readonly children?: ComponentChildren;
  readonly onClick?: (event: MouseEvent) => void;
  /** `primary`: the one main action. `danger`: it ends or refuses something. `quiet`: without a border. */
  readonly kind?: 'primary' | 'danger' | 'quiet' | undefined;
  readonly icon?: IconName;
  /** The name for screen readers, if the text is not sufficient or absent. */
  readonly label?: string;
  readonly disabled?: boolean;
  /** Whether the action is in progress: shown, and not clickable. */
  readonly busy?: boolean;
  readonly type?: 'button' | 'submit';
  /** State of a switch. */
  readonly pressed?: boolean;
}

export function Button(props: ButtonProps): JSX.Element {
  const { children, onClick, kind, icon, label, disabled = false, busy = false, type = 'button', pressed } = props;
  return (
    <button
      {...{ type, onClick }}
      class={`button${kind ? ` button-${kind}` : ''}${children ? '' : ' button-icon'}`}
      disabled={disabled || busy}
      aria-busy={busy}
      aria-label={label}
      aria-pressed={pressed}
      title={children ? undefined : label}
    >
      {icon && <Icon name={icon} />}
      {children}
    </button>
  );
}

/** Severity of a state. */
export type Severity = 'ok' | 'info' | 'warning' | 'error' | 'idle' | 'active';

/** States by severity, except idle ones. */
const states: Readonly<Partial<Record<Severity, readonly string[]>>> = {
  ok: ['ok', 'closed', 'alive', 'verified', 'enabled', 'completed'],
  info: ['note'],
  active: ['connecting', 'waiting', 'submitted', 'working'],
  warning: ['warning', 'half-open', 'draining', 'not-verified', 'input required', 'auth required'],
  error: ['error', 'unreachable', 'open', 'invalid', 'disabled', 'dead', 'failed', 'rejected'],
};

const severities = new Map(
  Object.entries(states).flatMap(([severity, names]) => names.map((name) => [name, severity as Severity])),
);

/** Returns the severity of a state of a task, an agent, a breaker, a signature or a finding. */
export const severityOf = (state: string): Severity => severities.get(words(state).toLowerCase()) ?? 'idle';

/** A state in a word, with a mark in its color. */
export function Badge(props: { readonly state: string; readonly severity?: Severity }): JSX.Element {
  const { state, severity = severityOf(state) } = props;
  return <span class={`badge badge-${severity}`}>{words(state)}</span>;
}

/** The current time, updated every second while it is shown. */
export const now = signal(Date.now());
setInterval(() => {
  if (!document.hidden) now.value = Date.now();
}, 1_000);

/** A moment, relative to now; the exact one is its title. */
export function Time({ at }: { readonly at: string | number | undefined }): JSX.Element {
  const ms = at === undefined ? Number.NaN : new Date(at).getTime();
  if (Number.isNaN(ms)) return <span class="muted">–</span>;
  return (
    <time dateTime={new Date(ms).toISOString()} title={clock(ms, 'exact')}>
      {relative(ms, now.value)}
    </time>
  );
}

/** The time of the day of a moment; the date is its title, and is shown too if it was another day. */
export function Clock({ at }: { readonly at: string }): JSX.Element {
  const ms = Date.parse(at);
  return (
    <time dateTime={at} title={clock(ms, 'exact')}>
      {clock(ms, new Date(ms).toDateString() === new Date().toDateString() ? 'seconds' : 'exact')}
    </time>
  );
}

/** A size. */
export const Bytes = ({ value }: { readonly value: number }): JSX.Element => (
  <span class="number" title={`${value} bytes`}>
    {bytes(value)}
  </span>
);

interface NoticeProps {
  readonly severity?: 'info' | 'ok' | 'warning' | 'error';
  readonly children: ComponentChildren;
  /** Action that the reader can take. */
  readonly action?: ComponentChildren;
}

/** A message in the page. Errors are announced at once, others politely. */
export function Notice({ severity = 'info', children, action }: NoticeProps): JSX.Element {
  return (
    <div class={`notice notice-${severity}`} role={severity === 'error' ? 'alert' : 'status'}>
      <div class="notice-text">{children}</div>
      {action && <div class="notice-action">{action}</div>}
    </div>
  );
}

/** Notice that data are incomplete because some replicas did not answer. */
export const Missing = ({ replicas = [] }: { readonly replicas: readonly string[] | undefined }): JSX.Element | null =>
  replicas.length === 0 ? null : (
    <Notice severity="warning">
      These replicas did not answer, and what they know is missing: {replicas.join(', ')}.
    </Notice>
  );

/** Placeholder for an empty list: the reason, and a possible action. */
export function Empty(props: { readonly title: string; readonly children?: ComponentChildren }): JSX.Element {
  const { title, children } = props;
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {children && <div class="muted">{children}</div>}
    </div>
  );
}

/** Error of a failed read or action, as thrown. Empty without an error. */
export function Failure({
  error,
  about,
  onRetry,
}: {
  readonly error: unknown;
  /** The failed action, if the place does not show it. */
  readonly about?: string;
  readonly onRetry?: (() => void) | undefined;
}): JSX.Element | null {
  if (error === undefined) return null;
  return (
    <Notice severity="error" action={onRetry && <Button onClick={onRetry}>Try again</Button>}>
      {about && `${about}: `}
      <Text value={messageOf(error)} multiline />
    </Notice>
  );
}

/** An id or a name with a word next to it. */
export const Tagged = ({ children, tag }: { readonly children: JSX.Element; readonly tag: string | false }) => (
  <>
    {children}
    {tag && <span class="tag">{tag}</span>}
  </>
);

/** A name and its value. */
export type Fact = readonly [name: string, content: ComponentChildren];

/** A list of facts. Those without content are left out. */
export const Facts = ({ facts, kind = 'facts' }: { readonly facts: readonly Fact[]; readonly kind?: string }) => (
  <dl class={kind}>
    {facts.map(
      ([name, content]) =>
        content !== undefined &&
        content !== false &&
        content !== '' && (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{content}</dd>
          </div>
        ),
    )}
  </dl>
);
