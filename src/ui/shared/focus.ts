/** Whether no control has the focus, only the page as a whole: the link that led here is gone, or nothing was focused yet. */
export const isFocusFree = () => document.activeElement === document.body || document.activeElement?.id === 'main';
