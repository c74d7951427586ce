/** The checks of the doctor in French. */
import type { Texts } from './en.ts';

const french: Texts = {
  passed: (count: number) => (count < 2 ? `${count} contrôle réussi` : `${count} contrôles réussis`),
  details: 'Détails',
  checks: {
    node: ['Node.js', 'Node.js est trop ancien', 'Installez une version plus récente de Node.js sur cette machine.'],
    addon: ['Programme', 'Une partie du programme manque', 'Réinstallez receiverd.'],
    settings: [
      'Paramètres',
      'Le fichier de configuration est illisible',
      'Les paramètres d’avant le dernier changement sont utilisés. Changez un paramètre pour réécrire le fichier.',
    ],
    folder: [
      'Dossier',
      'Un dossier est inutilisable',
      'Vérifiez que son disque est branché et a de la place, ou choisissez un autre dossier.',
    ],
    lists: [
      'Listes',
      'Une liste ne peut pas être lue entièrement',
      'Des chaînes, des programmations ou des comptes peuvent manquer. Les détails indiquent le fichier.',
    ],
    guide: [
      'Source du guide',
      'Une source du guide n’a pas pu être lue',
      'Vérifiez son adresse. Les détails donnent la réponse du serveur ; le récepteur réessaie.',
    ],
    tuner: [
      'Tuner',
      'Un tuner ne fonctionne pas',
      'Vérifiez qu’il est branché et allumé et que son adresse est correcte.',
    ],
    channels: [
      'Chaînes',
      'Aucun tuner ne reçoit les chaînes',
      'La démo intégrée est le seul tuner. Choisissez le tuner qui reçoit les chaînes de vos listes.',
    ],
    firmware: [
      'Micrologiciel',
      'Le micrologiciel d’un tuner manque',
      'Installez les fichiers indiqués dans les détails, puis redémarrez la machine.',
    ],
    port: ['Port', 'Un port est inutilisable', 'Arrêtez le programme qui l’occupe ou choisissez un autre port.'],
    output: [
      'Image',
      'Cette machine ne peut pas afficher l’image',
      'Installez mpv 0.33 ou plus récent, ou désactivez l’image sur cette machine.',
    ],
    command: [
      'Arrêt',
      'La machine ne peut pas être arrêtée d’ici',
      'La commande manque. Indiquez-en une autre ou ne permettez pas l’arrêt.',
    ],
    alarm: [
      'Alarme de réveil',
      'La machine ne peut pas être allumée pour enregistrer',
      'Laissez le récepteur régler l’alarme ou désactivez-la : la machine reste alors allumée tant qu’il y a des programmations.',
    ],
    keys: [
      'Télécommande',
      'La télécommande ne peut pas taper sur cette machine',
      'Chargez le module uinput et permettez au récepteur de l’utiliser, ou désactivez le paramètre.',
    ],
  },
};

export default french;
