import type { JSX } from 'preact';
import { Empty, Page } from '../../ui/index.ts';

export default function ContextPage(): JSX.Element {
  return (
    <Page title="Context">
      <Empty title="This page is not built yet" />
    </Page>
  );
}
