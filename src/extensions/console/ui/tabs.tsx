import type { ComponentChildren, JSX } from 'preact';

export interface Tab {
  readonly id: string;
  readonly title: string;
  /** Where the tab is. With an address, it is a link. */
  readonly href?: string;
  /** A number beside the title. */
  readonly count?: number | undefined;
}

interface TabsProps {
  /** Names the group of tabs. */
  readonly label: string;
  readonly tabs: readonly Tab[];
  readonly selected: string;
  /** For tabs without addresses. */
  readonly onSelect?: (id: string) => void;
  readonly children?: ComponentChildren;
}

/** Views of the same thing: links, or buttons where a view has no address. */
export const Tabs = ({ label, tabs, selected, onSelect, children }: TabsProps): JSX.Element => (
  <>
    <nav class="tabs" aria-label={label}>
      {tabs.map(({ id, title, href, count }) => {
        const shared = { key: id, class: 'tab', 'aria-current': id === selected ? ('page' as const) : undefined };
        const content = [title, count !== undefined && <span class="count">{count}</span>];
        return href === undefined ? (
          <button {...shared} type="button" onClick={() => onSelect?.(id)}>
            {content}
          </button>
        ) : (
          <a {...shared} href={href}>
            {content}
          </a>
        );
      })}
    </nav>
    {children}
  </>
);
