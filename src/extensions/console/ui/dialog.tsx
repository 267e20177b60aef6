import { useSignal } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { useAction } from '../gateway/hooks.ts';
import { may } from '../shell/session.ts';
import { Button, type ButtonProps, Failure } from './basic.tsx';

interface DialogProps {
  readonly title: string;
  readonly open: boolean;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
  /** Buttons at the end. */
  readonly actions?: ComponentChildren;
  readonly wide?: boolean;
}

/** A modal dialog. Escape closes it. */
export function Dialog({ title, open, onClose, children, actions, wide = false }: DialogProps): JSX.Element | null {
  const ref = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const dialog = ref.current;
    if (!open || !dialog || dialog.open) return;
    dialog.showModal();
    return () => dialog.close();
  }, [open]);
  if (!open) return null;
  return (
    <dialog
      ref={ref}
      class={wide ? 'dialog dialog-wide' : 'dialog'}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      <header class="dialog-head">
        <h2 id={id}>{title}</h2>
        <Button kind="quiet" icon="close" label="Close" onClick={onClose} />
      </header>
      <div class="dialog-body">{children}</div>
      {actions && <footer class="dialog-foot">{actions}</footer>}
    </dialog>
  );
}

interface ActionButtonProps extends Pick<ButtonProps, 'icon' | 'disabled'> {
  /** The operation of the admin service that it calls: without the permission there is no button. */
  readonly operation: string;
  /** Label of the button. */
  readonly label: string;
  /** The question; the children are shown below it. */
  readonly title: string;
  readonly children: ComponentChildren;
  /** Label of the button that confirms. Default: the label. */
  readonly action?: string;
  /** Label of the button that cancels. */
  readonly keep?: string;
  readonly danger?: boolean;
  /** Whether all input of the question is present. Default true. */
  readonly ready?: boolean;
  /** Carries the action out. Its error is shown in the dialog. */
  readonly act: (signal: AbortSignal) => Promise<void>;
}

/** A button for an action that cannot simply be undone: it asks first. */
export function ActionButton(props: ActionButtonProps): JSX.Element | null {
  const { operation, label, title, children, action = label, keep = 'Cancel', act, ...rest } = props;
  const { danger = false, ready = true, ...button } = rest;
  const asking = useSignal(false);
  const { run, busy, error, stop } = useAction(async (signal) => {
    await act(signal);
    asking.value = false;
  });
  const close = (): void => {
    asking.value = false;
    stop();
  };
  if (!may(operation)) return null;
  return (
    <>
      <Button {...button} kind={danger ? 'danger' : undefined} onClick={() => (asking.value = true)}>
        {label}
      </Button>
      <Dialog
        title={title}
        open={asking.value}
        onClose={close}
        actions={
          <>
            <Button onClick={close}>{keep}</Button>
            <Button kind={danger ? 'danger' : 'primary'} busy={busy} disabled={!ready} onClick={run}>
              {action}
            </Button>
          </>
        }
      >
        <div class="stack">
          {children}
          <Failure error={error} />
        </div>
      </Dialog>
    </>
  );
}
