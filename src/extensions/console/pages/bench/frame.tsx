import './bench.css';
import type { JSX } from 'preact';
import { hrefOf, route } from '../../shell/router.ts';
import { Page, type PageProps, Tabs } from '../../ui/index.ts';

/** The page around a view of the bench. Choices in one view stay in the address of the other. */
export function Bench({ children, ...page }: Omit<PageProps, 'title'>): JSX.Element {
  const { query } = route.value;
  const at = (view: string): string => hrefOf('bench', [], { ...Object.fromEntries(query), view });
  const tabs = [
    { id: '', title: 'Call', href: at('') },
    { id: 'translation', title: 'Translate', href: at('translation') },
  ];
  return (
    <Page title="Bench" {...page}>
      <Tabs label="Views" selected={query.get('view') ?? ''} tabs={tabs} />
      {children}
    </Page>
  );
}
