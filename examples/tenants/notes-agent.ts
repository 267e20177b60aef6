// In a project of your own: import … from 'a2a-gateway';
import { defineAgent } from '../../src/index.ts';

/** Keeps notes. Each caller has notes of its own in each conversation, since state belongs to a caller of a tenant. */
export default defineAgent({
  name: 'Notes',
  description: 'Keeps your notes.',
  skills: [
    {
      id: 'notes',
      name: 'Notes',
      description: 'Send a note, or "list" to see your notes.',
      tags: ['notes'],
      examples: ['Buy bread', 'list'],
    },
  ],
  async execute({ text, state, principal, tenant }) {
    const notes = (await state.context.get<string[]>('notes')) ?? [];
    if (text !== 'list') {
      await state.context.set('notes', [...notes, text]);
      return 'Noted.';
    }
    const owner = `${principal.attributes?.name} of ${tenant}`;
    return notes.length === 0 ? `No notes of ${owner}.` : `Notes of ${owner}: ${notes.join('; ')}`;
  },
});
