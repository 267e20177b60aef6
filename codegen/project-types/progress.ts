/** Milliseconds of work after which progress is reported. */
const delayMs = 2_000;

/** Runs work. If it takes longer than two seconds, reports it on standard error. */
export async function withProgress<T>(text: string, work: () => Promise<T>): Promise<T> {
  const timer = setTimeout(() => console.error(`${text} …`), delayMs);
  try {
    return await work();
  } finally {
    clearTimeout(timer);
  }
}
