/**
 * The genres of EN 300 468 table 29, with the names that guide files use for them. Matching ignores case, accents,
 * blanks and marks.
 *
 * Only names of genres are listed: `series`, `repeat` and `HDTV` are none.
 */

/**
 * By content_nibble_level_1 (high four bits) and level 2 (low): the name in the table, then those in English, German,
 * French, Dutch, Spanish, Italian, ...
 */
const names: Readonly<Record<number, string>> = {
  16: 'Film/drama|movie|movies|film|films|feature film|tv movie|tv film|drama|fiction|spielfilm|fernsehfilm|tv-film|kino|cinéma|téléfilm|fiktion|speelfilm|película|cine|ficción|cinema|filme|fictie|film fabularny|elokuva|series/movies|movie/drama|serial|drama series|dramaserie|série dramatique|serie tv|fernsehserie|tv-serie|série tv|téléfilm dramatique|drame|dramma|telefilm|film tv|tv serie',
  17: 'Detective/thriller|crime|crime drama|thriller|mystery|mystery & suspense|detective|police|suspense|krimi|krimiserie|kriminalfilm|polizeiserie|policier|série policière|film policier|téléfilm policier|misdaad|policiaco|giallo|poliziesco|crimen|kryminał|kriminalserie|kriminální|detektivka|psychothriller|krimi-serie|action thriller|espionage|spionage',
  18: 'Adventure/western/war|adventure|western|war|action|action & adventure|action/adventure|abenteuer|abenteuerfilm|kriegsfilm|actionfilm|aventure|film d’aventures|guerre|avontuur|aventura|avventura|azione|acción|przygodowy|katastrophenfilm|dobrodružný|war movie',
  19: 'Science fiction/fantasy/horror|science fiction|sci-fi|scifi|science-fiction|fantasy|horror|fantastique|horreur|terror|fantasía|fantastico|fantascienza|orrore|ciencia ficción|horrorfilm|fantasyfilm|mysteryserie|sci-fi & fantasy|épouvante|supernatural|übernatürliches',
  20: 'Comedy|sitcom|comedies|komödie|comedyserie|comédie|komedie|comedia|commedia|sit-com|humour|comedy drama|dark comedy|standup comedy|stand-up|komedia|zeichentrick-comedy|comédie dramatique|tragikomödie|humor|satire|parodie',
  21: 'Soap/melodrama/folklore|soap|soap opera|melodrama|telenovela|seifenoper|daily soap|folklore|feuilleton|mélodrame|heimatfilm|novela|familienserie|unterhaltungsserie',
  22: 'Romance|romantic comedy|liebesfilm|romantik|romantisch|romántica|sentimentale|liebeskomödie|comédie romantique|comédie sentimentale|romantic|romantikkomödie|film sentimental',
  23: 'Serious/classical/religious/historical|historical drama|historical|costume drama|historienfilm|biography|biographical|biopic|biografie|biographie|film historique|historisch|docudrama|period drama|storico|histórica',
  24: 'Adult film/drama|adult movie|erotic|erotik|erotikfilm|érotique|erotica|adults only|adult film',
  32: 'News/current affairs|news|current affairs|nachrichten|actualités|actualité|information|informations|nieuws|actualiteiten|noticias|notizie|informazione|noticiário|wiadomości|zprávy|uutiset|nyheter|nyheder|aktuelles|journal|informativo|informativos|newscast|news and current affairs|notícias|telegiornale|информационный|новости|jornal|haber',
  33: 'News/weather|weather|wetter|météo|weer|tiempo|el tiempo|meteo|wetterbericht|weather forecast|väder',
  34: 'News magazine|newsmagazine|nachrichtenmagazin|magazine d’information|politmagazin|politikmagazin|magazine d’actualité|rotocalco',
  35: 'Documentary|documentaries|dokumentation|doku|dokumentarfilm|documentaire|documental|documentario|dokument|dokumentti|dokumentär|dokumentar|dokumentarisch|dokumentální|dokumentárny|documentaires|reportage|reportaje|docu|dokureihe|dokumentarserie|documentary series|документальный|belgesel|documentário',
  36: 'Discussion/interview/debate|discussion|interview|debate|diskussion|talk|politics|politik|débat|discussione|debat|entretien|gespräch|politique|politiek|política|attualità e politica|public affairs',
  48: 'Show/game show|show|entertainment|game show/variety|unterhaltung|divertissement|amusement|entretenimiento|intrattenimento|spettacolo|reality|reality tv|reality show|reality-tv|realityshow|reality-show|télé-réalité|télé réalité|doku-soap|dokusoap|light entertainment|variedades|concurso|rozrywka|zábava|underhållning|viihde|entretenimento|awards|scripted reality|docusoap|real life',
  49: 'Game show/quiz|game show|quiz|quizshow|quiz show|game|gameshow|game shows|spielshow|jeu|jeux|jeu télévisé|spelshow|concursos|teleturniej|soutěž|spelprogram',
  50: 'Variety show|variety|variétés|varieté|kabarett|cabaret|gala|casting show|castingshow|talent|sketch show|comedyshow',
  51: 'Talk show|talkshow|talk-show|late night|late-night-show|chat show|talk shows|débat télévisé',
  64: 'Sports|sport|sports event|sports non-event|sport event|deportes|sporten|desporto|esportes|urheilu|спорт|spor|deporte|sports talk|esporte|sportevent|sportübertragung|cycling|golf|radsport|cyclisme|cycling race|snooker|darts|wielrennen|ciclismo|multisport|extreme sports|fishing|poker|pêche',
  65: 'Special events|olympics|olympische spiele|jeux olympiques|world cup|special event|olympic games|wm|weltmeisterschaft',
  66: 'Sports magazine|sportmagazin|magazine sportif|sportnachrichten|sports news|sportjournaal',
  67: 'Football|soccer|fußball|fussball|futbol|fútbol|calcio|voetbal|jalkapallo|fotboll|piłka nożna|fotbal|futebol|футбол',
  68: 'Tennis/squash|tennis|squash|tenis|badminton|table tennis|tischtennis',
  69: 'Team sports|basketball|baseball|hockey|ice hockey|eishockey|handball|volleyball|rugby|cricket|american football|rugby league|rugby union|netball|hockey sur glace|baloncesto|basket|mannschaftssport|australian football|afl|softball|jääkiekko|lacrosse',
  70: 'Athletics|leichtathletik|athlétisme|atletismo|track/field|atletica|atletiek|marathon|running|gymnastics|turnen',
  71: 'Motor sport|motorsport|motor sports|auto racing|motor racing|motorcycle racing|formula 1|formel 1|formule 1|motorsports|automobilismo|motociclismo|sport automobile|rennsport|rally|rallye|sports mécaniques|motorcycling|nascar|moto gp',
  72: 'Water sport|water sports|swimming|sailing|surfing|wassersport|schwimmen|natation|rowing|diving|segeln|watersport',
  73: 'Winter sports|wintersport|ski|skiing|biathlon|alpine skiing|skispringen|sports d’hiver|snowboarding|figure skating|ski alpin|bobsleigh|curling|langlauf',
  74: 'Equestrian|horse racing|horse|pferdesport|équitation|hippisme|reiten|racing horses|equitación|ippica|hippique',
  75: 'Martial sports|martial arts|boxing|wrestling|mixed martial arts|mma|kampfsport|boxen|boxe|ufc|judo|lutte|arts martiaux|catch',
  80: "Children's/youth|children|kids|children's|kinder|jeunesse|enfants|jeugd|infantil|bambini|ragazzi|dla dzieci|pro děti|barn|lapset|детский|çocuk|kinderprogramm|kinderserie|kinderfilm|youth|jugend|kindersendung|family|familie|familienfilm|famille|kinderen|children's/youth programmes|jugendserie|programme jeunesse|kinder/jugend|animation jeunesse",
  81: "Pre-school children's|pre-school|preschool|toddlers|vorschule|baby|pre-school children's programmes|early childhood",
  82: 'Entertainment for 6 to 14',
  83: 'Entertainment for 10 to 16',
  84: 'Informational/educational/school|educational children|schulfernsehen|wissen für kinder|lernprogramm',
  85: 'Cartoons/puppets|animation|cartoon|cartoons|animated|anime|zeichentrick|zeichentrickserie|animationsfilm|animationsserie|dessin animé|dessins animés|animación|cartoni|tekenfilm|animatie|puppets|animated movie|puppentrick|trickfilm|série animée|film d’animation|dibujos animados|cartoni animati|animácia|animovaný|tecknat|мультфильм',
  96: 'Music/ballet/dance|music|musik|musique|muziek|música|musica|muzyka|hudba|musiikki|concert|konzert|музыка|müzik|concerto|music video|musikvideos|clips|music videos|dance|danse|tanz|musical|concierto|musikshow|music special|videoclips',
  97: 'Rock/pop|rock|pop|pop music|rock music|rock/pop music|pop-rock|hip-hop|heavy metal|popmusik|hip hop|techno',
  98: 'Serious/classical music|classical|classical music|klassik|musique classique|klassische musik|klassiek|música clásica|musica classica|klassisch|classique',
  99: 'Folk/traditional music|folk|country|volksmusik|folk music|country music|schlager|folklore music|volksmuziek|traditional music',
  100: 'Jazz|blues|jazz music',
  101: 'Musical/opera|opera|musical theatre|oper|opéra|operette|ópera|musicals|opérette',
  102: 'Ballet|ballett|danse classique',
  112: 'Arts/culture|arts|culture|art|kultur|kunst|cultuur|kunst und kultur|cultura|arte|arts & culture|arts and culture|culture & arts|kulttuuri|kulturmagazin|kultura|magazine culturel|arts/crafts',
  113: 'Performing arts|theatre|theater|théâtre|teatro|circus|cirque|zirkus|bühne|theaterstück|toneel',
  114: 'Fine arts',
  115: 'Religion|religious|religiös|gottesdienst|religieux|religie|religión|religione|kirche|spiritual|magazine religieux|religiosa|émission religieuse|mass|worship',
  116: 'Popular culture/traditional arts',
  117: 'Literature|literatur|littérature|book|books|bücher|poetry|magazine littéraire|letteratura',
  118: 'Film/cinema|film culture|kinomagazin|magazine du cinéma|making of|filmmagazin|making-of',
  119: 'Experimental film/video',
  120: 'Broadcasting/press',
  121: 'New media|media|computer|computers|gaming|video games|videospiele|jeux vidéo|videogames|esports|technology/computers',
  122: 'Arts/culture magazine|kulturmagazine|cultural magazine|arts magazine',
  123: 'Fashion|mode|moda|fashion & style',
  128: 'Social/political issues/economics|society|social|gesellschaft|société|economics|politics & society|samhälle|sociedad|società|maatschappij|social issues|consumer',
  129: 'Magazine/report/documentary|magazine|magazin|report|infotainment|magazines|magazyn|boulevard|boulevardmagazin|revista|infomagazin|ratgebermagazin|magazine de société|reportages|publicystyka|infomagazine|human interest',
  130: 'Economics/social advisory|business|economy|business & financial|wirtschaft|économie|finance|wirtschaftsmagazin|economía|economia|bus./financial|börse|money|verbraucher|verbrauchermagazin',
  131: 'Remarkable people|portrait|porträt|celebrity|people|prominente|promis|stars',
  144: 'Education/science/factual|education|educational|science|factual|wissen|wissenschaft|bildung|sciences|éducation|educación|educativo|ciencia|scienza|wetenschap|wissenschaftsmagazin|history|geschichte|histoire|geschiedenis|historia|storia|learning|wissensmagazin|magazine scientifique|science & technology|science/nature|natur & wissenschaft|zeitgeschichte|archaeology|military|anthropology|věda|nauka',
  145: 'Nature/animals/environment|nature|animals|environment|natur|tiere|wildlife|umwelt|animaux|natuur|naturaleza|natura|tierdoku|naturdokumentation|animali|dieren|animales|tierdokumentation|natur und umwelt|nature & environment|documentaire animalier|animal documentary|landwirtschaft|agriculture|naturfilm|outdoors',
  146: 'Technology/natural sciences|technology|technik|science and technology|natural sciences|technologie|tecnología|tecnologia|space|weltraum|aviation|engineering|aerospace|luftfahrt|astronomy|techniek',
  147: 'Medicine/physiology/psychology|medicine|health|medical|medizin|gesundheit|santé|psychology|psychologie|gezondheid|salud|salute|gesundheitsmagazin|magazine de santé',
  148: 'Foreign countries/expeditions|expedition|foreign countries|land und leute|länder|découverte|documentaire découverte|exploration|adventure travel|expeditionen|entdeckung|land & leute|geographie',
  149: 'Social/spiritual sciences|sociology|philosophy|philosophie|soziales|spirituality|esoterik|law|recht',
  150: 'Further education',
  151: 'Languages|language|sprachen|language course|sprachkurs',
  160: 'Leisure hobbies|leisure|hobby|hobbies|lifestyle|freizeit|loisirs|vrije tijd|ocio|tempo libero|ratgeber|freizeit & hobbies|leisure & hobbies|style|vie pratique|tips|leefstijl|estilo de vida|special interest|lebensart|how-to',
  161: 'Tourism/travel|travel|tourism|reise|reisen|voyage|voyages|reizen|viajes|viaggi|reisemagazin|tourisme|reportage voyage|urlaub|turismo|cestopis|podróże|holiday|magazine de voyage',
  162: 'Handicraft|diy|home improvement|do-it-yourself|house & garden|house/garden|home & garden|heimwerken|heimwerker|bricolage|wohnen|home|architecture|architektur|property|real estate|interior design|wonen|antiques|crafts|collectibles|immobilien|auction|klussen',
  163: 'Motoring|auto|cars|automobile|automagazin|auto & motor|automobiles|auto und motor|motor|automotive|car|magazine automobile|motormagazin|motorcycles|coches|motori',
  164: 'Fitness and health|fitness|fitness & health|exercise|health & fitness|wellness|yoga|gymnastik|bodybuilding|fitness and wellness|aerobics|remise en forme',
  165: 'Cooking|food|cookery|kochen|cuisine|food & drink|koken|cocina|cucina|kochshow|gastronomie|food/cooking|essen und trinken|gastronomía|culinaria|magazine culinaire|vaření|food and drink|essen & trinken',
  166: 'Advertisement/shopping|shopping|advertisement|infomercial|teleshopping|home shopping|teleshop|werbung|consumer ads|télé-achat|advertising|paid programming|dauerwerbesendung|téléachat|televendita',
  167: 'Gardening|garten|jardinage|garden|tuinieren|jardinería|giardinaggio|tuin|gartenmagazin',
  176: 'Original language|original version|ov|originalfassung|version originale',
  177: 'Black and white|schwarzweiß|noir et blanc',
  178: 'Unpublished',
  179: 'Live broadcast|live|liveübertragung|en direct|livesendung|live-übertragung',
  180: 'Plano-stereoscopic',
  181: 'Local or regional|regional|local|lokal|regionalprogramm|local news|regionalmagazin|regionaal|régional|regionale|local programming',
  192: 'Adult|adults|erwachsene|adulte|adultos|xxx|porn',
};

/** Names of the groups whose first genre has another name. */
const groups: Readonly<Record<number, string>> = { 0: 'Undefined content', 11: 'Special characteristics' };

/** The names returned by `genreText`, by level 1 * 16 + level 2. */
export const genreTexts: readonly string[] = Array.from({ length: 256 }, (_, genre) => {
  const nameOf = (one: number) => names[one]?.split('|', 1)[0];
  return nameOf(genre) ?? groups[genre >> 4] ?? nameOf(genre & 0xf0) ?? '';
});

/**
 * The English name of a genre; for a reserved or user-defined kind, the name of its group. Group 0 gives `Undefined
 * content`, groups 0xD to 0xF (reserved, user defined) ''.
 */
export function genreText(level1: number, level2: number): string {
  return genreTexts[level1 * 16 + level2] ?? '';
}

/** Yields every name with its genre, level 1 in the high four bits. */
export function* genreNames(): Generator<readonly [name: string, genre: number], void, undefined> {
  for (const [genre, list] of Object.entries(names)) for (const name of list.split('|')) yield [name, Number(genre)];
}
