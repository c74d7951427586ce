/** The evening: prime time and, once that has begun, the rest of the night. */

/** Events of prime time begin from this long before it... */
const leadMinutes = 20;
/** ... until this long after it has begun. */
const primeMinutes = 130;
/** The night ends at this time. */
const nightEndMinute = 120;

/** `prime`, `time`: Unix seconds. */
export const isEveningOver = (prime: number, time: number) => time > prime + primeMinutes * 60;

/** Unix seconds of an hour on the day of a time, 0 to 24. */
const hourOf = (seconds: number, hour: number) => new Date(seconds * 1000).setHours(hour, 0, 0, 0) / 1000;
const minuteOf = (seconds: number) => {
  const date = new Date(seconds * 1000);
  return date.getHours() * 60 + date.getMinutes();
};

/** Parameters of `/api/eventsearch` for the evening of a day. `prime`: Unix seconds of its prime time. */
export function eveningOf(prime: number, time: number) {
  const hasBegun = time > prime;
  const midnight = hourOf(prime, 24);
  return {
    begin: Math.max(time, hourOf(prime, 0)),
    end: hasBegun ? midnight + nightEndMinute * 60 : midnight,
    from_minute: Math.max(0, minuteOf(prime) - leadMinutes),
    until_minute: hasBegun ? nightEndMinute : Math.min(1440, minuteOf(prime) + primeMinutes),
  };
}

/** As `eveningOf`, without what began long ago: the response has few events. Changes each hour. */
export function restOfEvening(prime: number, time: number) {
  const evening = eveningOf(prime, time);
  const hour = Math.floor((minuteOf(time) - 30) / 60) * 60;
  return { ...evening, from_minute: Math.max(evening.from_minute, time > prime ? hour : 0) };
}
