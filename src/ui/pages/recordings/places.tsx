/** Where the listed recordings are: breadcrumbs, sub-folders and the trash. */
import { Folder, Trash2 } from 'lucide';
import { Icon } from '../../shared/icon.tsx';
import { href } from '../../shared/route.ts';
import { words } from '../../shared/words.ts';
import { folderName, isTrash } from './library.ts';

interface PlacesProps {
  readonly locations: readonly string[];
  readonly folder: string;
  /** Title of the open series. */
  readonly series?: string | undefined;
}

/** Breadcrumbs: the locations, if there are several, the folders above the current one, and the open series. */
export function Places({ locations, folder, series }: PlacesProps) {
  const { recordings: texts } = words.value;
  const location = locations.filter((one) => folder.startsWith(one)).sort((a, b) => b.length - a.length)[0];
  if (location === undefined) return null;
  const below = folder.slice(location.length).split('/').filter(Boolean);
  const paths = below.map((_, index) => `${location}${below.slice(0, index + 1).join('/')}/`);
  if (locations.length < 2 && below.length === 0 && series === undefined) return null;
  return (
    <nav class="crumbs" aria-label={texts.folders}>
      {[...locations, ...paths].map((path) => (
        <a
          key={path}
          href={href('recordings', { folder: path === locations[0] ? undefined : path })}
          aria-current={path === folder && series === undefined ? 'page' : undefined}
          title={isTrash(path) ? undefined : path}
        >
          {folderName(path, locations)}
        </a>
      ))}
      {series !== undefined && <span aria-current="page">{series}</span>}
    </nav>
  );
}

/** The sub-folders and the trash. */
export function Folders({ folder, names }: { readonly folder: string; readonly names: readonly string[] }) {
  const { recordings: texts } = words.value;
  return (
    <nav class="folders" aria-label={texts.inFolder}>
      {names.map((name) => (
        <a key={name} href={href('recordings', { folder: `${folder}${name}/` })}>
          <Icon of={Folder} size={18} /> {name}
        </a>
      ))}
      <a href={href('recordings', { folder: `${folder}.Trash/` })}>
        <Icon of={Trash2} size={18} /> {texts.trash}
      </a>
    </nav>
  );
}
