import type { ComponentChildren, JSX, TargetedKeyboardEvent } from 'preact';

export interface Tab {
  readonly id: string;
  readonly title: string;
  /** Where the tab is. With an address, tabs are links. */
  readonly href?: string;
  /** A number beside the title. */
  readonly count?: number | undefined;
}

export interface TabsProps {
  /** Names the group of tabs. */
  readonly label: string;
  readonly tabs: readonly Tab[];
  readonly selected: string;
  /** For tabs without addresses. */
  readonly onSelect?: (id: string) => void;
  readonly children?: ComponentChildren;
}

/** Views of the same thing. Tabs with addresses are links in a navigation, others are buttons of a tab list. */
export function Tabs({ label, tabs, selected, onSelect, children }: TabsProps): JSX.Element {
  const title = (tab: Tab): JSX.Element => (
    <>
      {tab.title}
      {tab.count !== undefined && <span class="count">{tab.count}</span>}
    </>
  );
  if (tabs.every(({ href }) => href !== undefined)) {
    return (
      <>
        <nav class="tabs" aria-label={label}>
          {tabs.map((tab) => (
            <a key={tab.id} href={tab.href ?? ''} class="tab" aria-current={tab.id === selected ? 'page' : undefined}>
              {title(tab)}
            </a>
          ))}
        </nav>
        {children}
      </>
    );
  }
  const at = tabs.findIndex(({ id }) => id === selected);
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLDivElement>): void => {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    const next = step !== 0 && tabs[(at + step + tabs.length) % tabs.length];
    if (!next) return;
    event.preventDefault();
    onSelect?.(next.id);
    event.currentTarget.querySelectorAll<HTMLElement>('[role=tab]')[tabs.indexOf(next)]?.focus();
  };
  return (
    <>
      <div class="tabs" role="tablist" aria-label={label} onKeyDown={onKeyDown} tabIndex={-1}>
        {tabs.map((tab) => (
          <button
            key={tab.id}
            type="button"
            role="tab"
            class="tab"
            aria-selected={tab.id === selected}
            tabIndex={tab.id === selected ? 0 : -1}
            onClick={() => onSelect?.(tab.id)}
          >
            {title(tab)}
          </button>
        ))}
      </div>
      {children && (
        <div role="tabpanel" aria-label={tabs[at]?.title}>
          {children}
        </div>
      )}
    </>
  );
}
