import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { Button } from './basic.tsx';

export interface DialogProps {
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

export interface ConfirmProps extends Omit<DialogProps, 'actions'> {
  /** What the button says: the action. */
  readonly action: string;
  readonly danger?: boolean;
  readonly busy?: boolean;
  readonly onConfirm: () => void;
}

/** Asks before an action that cannot simply be undone. */
export function Confirm({ action, danger, busy, onConfirm, ...dialog }: ConfirmProps): JSX.Element {
  return (
    <Dialog
      {...dialog}
      actions={
        <>
          <Button onClick={dialog.onClose}>Cancel</Button>
          <Button kind={danger ? 'danger' : 'primary'} busy={busy === true} onClick={onConfirm}>
            {action}
          </Button>
        </>
      }
    />
  );
}
