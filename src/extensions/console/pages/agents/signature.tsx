import type { JSX } from 'preact';
import type { CardSignature } from '../../../../gen/admin-v1/types.ts';
import { Badge, Text } from '../../ui/index.ts';

/** What is known about the signatures of a card. */
export const Signature = ({ signature }: { readonly signature: CardSignature }): JSX.Element => (
  <>
    <Badge state={signature.verdict} />
    {signature.keyIds && signature.keyIds.length > 0 && (
      <div class="muted">
        Keys: <Text value={signature.keyIds.join(', ')} mono max={200} />
      </div>
    )}
    {signature.reason && (
      <div class="muted">
        <Text value={signature.reason} />
      </div>
    )}
  </>
);
