/* The page's texts in English, by key: the part of the page, a dot, the text. */

export default {
  "title.game": "Masons",
  "title.decision": "● Masons: your decision",
  "title.analysis": "Masons: analysis",
};
