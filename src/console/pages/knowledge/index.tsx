import type { JSX } from 'preact';
import { Empty, Page } from '../../ui/index.ts';

export default function KnowledgePage(): JSX.Element {
  return (
    <Page title="Knowledge">
      <Empty title="This page is not built yet" />
    </Page>
  );
}
