import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

export interface Tab {
  readonly id: string;
  readonly title: string;
  /** Address of the tab. With one, it is a link. */
  readonly href?: string;
}

interface TabsProps {
  /** Accessible name of the group of tabs. */
  readonly label: string;
  readonly tabs: readonly Tab[];
  readonly selected: string;
  /** Called for tabs without addresses. */
  readonly onSelect?: (id: string) => void;
  readonly children?: ComponentChildren;
}

/** Views of one subject: links, or buttons if a view has no address. On narrow screens the selected one is scrolled to. */
export function Tabs({ label, tabs, selected, onSelect, children }: TabsProps): JSX.Element {
  const list = useRef<HTMLElement>(null);
  useEffect(() => {
    list.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [selected]);
  return (
    <>
      <nav class="tabs" ref={list} aria-label={label}>
        {tabs.map(({ id, title, href }) => {
          const shared = { key: id, class: 'tab', 'aria-current': id === selected ? ('page' as const) : undefined };
          return href === undefined ? (
            <button {...shared} type="button" onClick={() => onSelect?.(id)}>
              {title}
            </button>
          ) : (
            <a {...shared} href={href}>
              {title}
            </a>
          );
        })}
      </nav>
      {children}
    </>
  );
}
