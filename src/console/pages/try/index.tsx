import type { JSX } from 'preact';
import { Empty, Page } from '../../ui/index.ts';

export default function TryPage(): JSX.Element {
  return (
    <Page title="Try">
      <Empty title="This page is not built yet" />
    </Page>
  );
}
