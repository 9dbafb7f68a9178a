/** Whether a text is a day of the calendar, such as 2026-05-06. */
export function isDay(text: string): boolean {
  const time = new Date(`${text}T00:00:00.000Z`);
  const isWritten = /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(time.getTime());
  return isWritten && time.toISOString().startsWith(text);
}
