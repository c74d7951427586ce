/** Adds one to the list with this key. */
export function addTo<Key, One>(map: Map<Key, One[]>, key: Key, one: One): void {
  const there = map.get(key);
  if (there) there.push(one);
  else map.set(key, [one]);
}
