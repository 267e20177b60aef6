/** Milliseconds of work after which a line says that it goes on. */
const delayMs = 2_000;

/** Does some work. When it takes longer than two seconds, a line on standard error says so. */
export async function withProgress<T>(text: string, work: () => Promise<T>): Promise<T> {
  const timer = setTimeout(() => console.error(`${text} …`), delayMs);
  try {
    return await work();
  } finally {
    clearTimeout(timer);
  }
}
