/** The names of content_nibble_level_1 and _2 (EN 300 468 table 29), in English. */

const genres: readonly { readonly group: string; readonly kinds: readonly string[] }[] = [
  { group: 'Undefined content', kinds: [] },
  {
    group: 'Film/drama',
    kinds: [
      'Film/drama',
      'Detective/thriller',
      'Adventure/western/war',
      'Science fiction/fantasy/horror',
      'Comedy',
      'Soap/melodrama/folklore',
      'Romance',
      'Serious/classical/religious/historical',
      'Adult film/drama',
    ],
  },
  {
    group: 'News/current affairs',
    kinds: ['News/current affairs', 'News/weather', 'News magazine', 'Documentary', 'Discussion/interview/debate'],
  },
  { group: 'Show/game show', kinds: ['Show/game show', 'Game show/quiz', 'Variety show', 'Talk show'] },
  {
    group: 'Sports',
    kinds: [
      'Sports',
      'Special events',
      'Sports magazine',
      'Football',
      'Tennis/squash',
      'Team sports',
      'Athletics',
      'Motor sport',
      'Water sport',
      'Winter sports',
      'Equestrian',
      'Martial sports',
    ],
  },
  {
    group: "Children's/youth",
    kinds: [
      "Children's/youth",
      "Pre-school children's",
      'Entertainment for 6 to 14',
      'Entertainment for 10 to 16',
      'Informational/educational/school',
      'Cartoons/puppets',
    ],
  },
  {
    group: 'Music/ballet/dance',
    kinds: [
      'Music/ballet/dance',
      'Rock/pop',
      'Serious/classical music',
      'Folk/traditional music',
      'Jazz',
      'Musical/opera',
      'Ballet',
    ],
  },
  {
    group: 'Arts/culture',
    kinds: [
      'Arts/culture',
      'Performing arts',
      'Fine arts',
      'Religion',
      'Popular culture/traditional arts',
      'Literature',
      'Film/cinema',
      'Experimental film/video',
      'Broadcasting/press',
      'New media',
      'Arts/culture magazine',
      'Fashion',
    ],
  },
  {
    group: 'Social/political issues/economics',
    kinds: [
      'Social/political issues/economics',
      'Magazine/report/documentary',
      'Economics/social advisory',
      'Remarkable people',
    ],
  },
  {
    group: 'Education/science/factual',
    kinds: [
      'Education/science/factual',
      'Nature/animals/environment',
      'Technology/natural sciences',
      'Medicine/physiology/psychology',
      'Foreign countries/expeditions',
      'Social/spiritual sciences',
      'Further education',
      'Languages',
    ],
  },
  {
    group: 'Leisure hobbies',
    kinds: [
      'Leisure hobbies',
      'Tourism/travel',
      'Handicraft',
      'Motoring',
      'Fitness and health',
      'Cooking',
      'Advertisement/shopping',
      'Gardening',
    ],
  },
  {
    group: 'Special characteristics',
    kinds: [
      'Original language',
      'Black and white',
      'Unpublished',
      'Live broadcast',
      'Plano-stereoscopic',
      'Local or regional',
    ],
  },
  { group: 'Adult', kinds: ['Adult'] },
];

/**
 * The English name of a genre; for a reserved or user-defined kind, the name of its group. Group 0 gives `Undefined
 * content`, groups 0xD to 0xF (reserved, user defined) ''.
 */
export function genreText(level1: number, level2: number): string {
  const genre = genres[level1];
  return genre === undefined ? '' : (genre.kinds[level2] ?? genre.group);
}

/** The same by level 1 * 16 + level 2. */
export const genreTexts: readonly string[] = Array.from({ length: 256 }, (_, nibbles) =>
  genreText(nibbles >> 4, nibbles & 15),
);

/** Every name of the table with its genre: level 1 in the high four bits of `nibbles`, level 2 in the low. */
export function* genreNames(): Generator<{ readonly name: string; readonly nibbles: number }, void, undefined> {
  for (const [level1, { kinds }] of genres.entries()) {
    for (const [level2, name] of kinds.entries()) yield { name, nibbles: level1 * 16 + level2 };
  }
}
