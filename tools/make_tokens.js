#!/usr/bin/env node
// Writes tests/golden/encoders/*.tokens.jsonl: what the official tokeniser makes of some texts, with
// the vocabularies that tools/make_encoders.py wrote. Run by hand in the repository, after
// `npm install tokenizers` in a folder of its own:  NODE_PATH=that/node_modules node tools/make_tokens.js
//
//     node tools/make_tokens.js TOKENIZER.JSON < TEXTS       the same of other texts, one JSON string a line
'use strict'
const fs = require('fs')
const path = require('path')
const { Tokenizer } = require('tokenizers')

const GOLDEN = path.join(__dirname, '..', 'tests', 'golden', 'encoders')

const texts = [
  '', '   ', 'Hello, World!', 'the TOKENIZATION of the world', 'unable, untokened and unnaive',
  'na\u00efve caf\u00e9 CAF\u00c9 u\u0308', '\u4f60\u597d world', "don't stop, it's", 'a\u200bb\u00ad c\u0001d\u0000e',
  '[CLS] x [MASK] [UNK] [SEP]', '[MASK][MASK]hello[sep]', 'a'.repeat(100) + ' b', 'a'.repeat(101) + ' b',
  '\u00df \u1e9e \u0130 \u0131 \u03a3\u03af\u03c3\u03c5\u03c6\u03bf\u03c2', '\ud55c\uad6d', 'x\u0301\u0316y \u0301', '\ufeffbom\ttab\nnl\r\nend',
  '\u2028line\u2029sep\u3000wide\u00a0space', '\u{1f600} emoji \u{20000}', '\u{2b820}\u{2b920}', '3.14 (12)', '\u037e \u1fef \u2260',
  'a\u0315\u0300\u05ae\u0062', '\u1c89 \u{10d50} \u{11938}', '\ufffd replaced', 'NASA\u2019s \u201cHello\u201d', 'B\u0130\u00c9\u00e9e\u0301',
  'hello  world   ', ' hello\n\nworld \n', "'s 't 're've'LL we'll", '12 123 \u00bd\u2460 \u0661\u0662', 'aaaa aaaaaaa', '....!?-', '\u00e9\u00e9 \u4e2d\u6587',
  '<s>hello</s> <mask> world<pad>', '  <mask>', 'hello<mask>\thello', '\u00a0\u00a0x', '\u{1e900}\u{1d7d8}', 'the\u{2b739}1\u{105c0}a']

function read (name) { return fs.readFileSync(path.join(GOLDEN, name), 'utf8') }

function specials (pieces, names, left) {
  return names.map(n => ({ id: pieces.indexOf(n), content: n, single_word: false, lstrip: n === left, rstrip: false,
    normalized: false, special: true }))
}

function vocabulary (pieces) { return Object.fromEntries(pieces.map((p, i) => [p, i])) }

function distilbert () {
  const pieces = read('distilbert/vocab.txt').trim().split('\n')
  const id = n => [n, pieces.lastIndexOf(n)]
  return {
    added_tokens: specials(pieces, pieces.slice(0, 5)),
    normalizer: { type: 'BertNormalizer', clean_text: true, handle_chinese_chars: true, strip_accents: null, lowercase: false },
    pre_tokenizer: { type: 'BertPreTokenizer' },
    post_processor: { type: 'BertProcessing', sep: id('[SEP]'), cls: id('[CLS]') },
    model: { type: 'WordPiece', unk_token: '[UNK]', continuing_subword_prefix: '##', max_input_chars_per_word: 100,
      vocab: vocabulary(pieces) }
  }
}

function roberta () {
  const vocab = JSON.parse(read('roberta/vocab.json'))
  const pieces = Object.keys(vocab)
  const merges = read('roberta/merges.txt').trim().split('\n').slice(1)
  return {
    added_tokens: specials(pieces, ['<s>', '<pad>', '</s>', '<unk>', '<mask>'], '<mask>'),
    pre_tokenizer: { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: true },
    post_processor: { type: 'RobertaProcessing', sep: ['</s>', 2], cls: ['<s>', 0], trim_offsets: true, add_prefix_space: false },
    model: { type: 'BPE', vocab, merges }
  }
}

async function write (to, tokenizer, list) {
  for (const text of list) {
    const e = await tokenizer.encode(text, null, { addSpecialTokens: true })
    to.write(JSON.stringify({ text, ids: Array.from(e.getIds()), offsets: e.getOffsets(), words: e.getWordIds() }) + '\n')
  }
}

async function main () {
  if (process.argv.length > 2) {
    const tokenizer = Tokenizer.fromFile(process.argv[2])
    tokenizer.disablePadding()
    tokenizer.disableTruncation()
    const lines = fs.readFileSync(0, 'utf8').split('\n').filter(l => l.length)
    return write(process.stdout, tokenizer, lines.map(l => JSON.parse(l)))
  }
  const folders = { bert: JSON.parse(read('bert/tokenizer.json')), distilbert: distilbert(), roberta: roberta() }
  for (const [name, json] of Object.entries(folders)) {
    const tokenizer = Tokenizer.fromString(JSON.stringify({ version: '1.0', ...json }))
    tokenizer.disablePadding()
    const to = fs.createWriteStream(path.join(GOLDEN, name + '.tokens.jsonl'))
    await write(to, tokenizer, texts)
    to.end()
  }
}

main()
